// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.message;

import dev.ramet.egress.rule.HostPatterns;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The parts of a request's head that rules look at. */
public final class RequestHeads {
  private RequestHeads() {}

  /**
   * The name that a request is for.
   *
   * @return as {@link HostPatterns#normal} has it; null for an address or anything else
   * @throws BadHttpException unless there is one {@code Host}
   */
  public static @Nullable String name(HttpRequest head) throws BadHttpException {
    List<String> hosts = head.headers().getAll(HttpHeaderNames.HOST);
    if (hosts.size() != 1 || hosts.get(0).isEmpty()) {
      throw new BadHttpException("a request must have one Host");
    }
    return HostPatterns.ofField(hosts.get(0));
  }

  /** The words of a header that is a list, in lower case. */
  public static List<String> words(HttpHeaders headers, CharSequence name) {
    List<String> words = new ArrayList<>();
    for (String value : headers.getAll(name)) {
      for (String word : value.split(",", -1)) {
        words.add(word.strip().toLowerCase(Locale.ROOT));
      }
    }
    return words;
  }

  /** Whether a request goes to the host that it names, rather than to a proxy. */
  public static boolean direct(HttpRequest head) {
    boolean all = head.method().equals(HttpMethod.OPTIONS) && head.uri().equals("*");
    return all || head.uri().startsWith("/");
  }

  /** Whether no body follows the head of a request. */
  public static boolean bodiless(HttpRequest head) {
    return !HttpUtil.isTransferEncodingChunked(head) && HttpUtil.getContentLength(head, 0L) == 0;
  }

  /** Whether it does, and proxies after this one keep the name. */
  public static boolean fits(HttpRequest head) {
    return direct(head) && !words(head.headers(), HttpHeaderNames.CONNECTION).contains("host");
  }
}
