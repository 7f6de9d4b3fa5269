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

/** Reads the parts of a request's head that rules depend on. */
public final class RequestHeads {
  private RequestHeads() {}

  /**
   * Returns the host name that a request is for.
   *
   * @return the name normalised by {@link HostPatterns#normalize}; null for an address or anything
   *     else
   * @throws BadHttpException unless there is exactly one {@code Host}
   */
  public static @Nullable String name(HttpRequest head) throws BadHttpException {
    List<String> hosts = head.headers().getAll(HttpHeaderNames.HOST);
    if (hosts.size() != 1 || hosts.get(0).isEmpty()) {
      throw new BadHttpException("a request must have one Host");
    }
    return HostPatterns.hostOfHeader(hosts.get(0));
  }

  /** Returns the elements of a list header, in lower case. */
  public static List<String> listValues(HttpHeaders headers, CharSequence name) {
    List<String> words = new ArrayList<>();
    for (String value : headers.getAll(name)) {
      for (String word : value.split(",", -1)) {
        words.add(word.strip().toLowerCase(Locale.ROOT));
      }
    }
    return words;
  }

  /** Returns whether a request is for the host that it names, rather than for a proxy. */
  public static boolean isDirect(HttpRequest head) {
    boolean all = head.method().equals(HttpMethod.OPTIONS) && head.uri().equals("*");
    return all || head.uri().startsWith("/");
  }

  /** Returns whether no body follows the head of a request. */
  public static boolean isBodiless(HttpRequest head) {
    return !HttpUtil.isTransferEncodingChunked(head) && HttpUtil.getContentLength(head, 0L) == 0;
  }

  /**
   * Returns whether the request is for the host that it names, and further proxies keep the name.
   */
  public static boolean keepsHost(HttpRequest head) {
    return isDirect(head)
        && !listValues(head.headers(), HttpHeaderNames.CONNECTION).contains("host");
  }
}
