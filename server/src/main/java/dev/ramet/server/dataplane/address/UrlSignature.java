// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane.address;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The signature of a request for a file, with which clients of the E2B protocol let others read or
 * write one file. The agent verifies it; the host uses it only to find the sandbox. Immutable and
 * thread-safe.
 *
 * @param given the signature
 * @param before the signed text before the access token
 * @param after the signed text after the access token
 */
public record UrlSignature(String given, String before, String after) {
  private static final String FILES = "/files";
  private static final String VERSION = "v1_";

  /** Returns the signature of a request, or null when it has none. */
  public static @Nullable UrlSignature ofRequest(HttpRequest request) {
    if (!request.uri().startsWith(FILES + "?")) {
      return null;
    }
    Map<String, List<String>> query;
    try {
      query = new QueryStringDecoder(request.uri()).parameters();
    } catch (IllegalArgumentException e) {
      return null;
    }
    String given = firstValue(query, "signature");
    if (given.isEmpty()) {
      return null;
    }
    boolean reads =
        request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    String expiration = firstValue(query, "signature_expiration");
    return new UrlSignature(
        given,
        firstValue(query, "path")
            + ":"
            + (reads ? "read" : "write")
            + ":"
            + firstValue(query, "username")
            + ":",
        expiration.isEmpty() ? "" : ":" + expiration);
  }

  private static String firstValue(Map<String, List<String>> query, String name) {
    List<String> values = query.get(name);
    return values == null ? "" : values.get(0);
  }

  /** Returns whether it was created with this token. */
  boolean isSignedWith(@Nullable String token) {
    if (token == null) {
      return false;
    }
    try {
      byte[] sum =
          MessageDigest.getInstance("SHA-256")
              .digest((before + token + after).getBytes(StandardCharsets.UTF_8));
      String wanted = VERSION + Base64.getEncoder().withoutPadding().encodeToString(sum);
      return MessageDigest.isEqual(
          wanted.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
