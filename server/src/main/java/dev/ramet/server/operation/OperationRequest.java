// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import dev.ramet.errors.RametException;
import dev.ramet.server.access.Caller;
import io.micronaut.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request for an operation. Immutable and thread-safe.
 *
 * @param kind kind of operation, such as {@code sandbox.clone}
 * @param subject id or name of the object to work on
 * @param caller id of the caller, valid as a file name
 * @param key the idempotency key, or null
 * @param fingerprint digest that distinguishes the request's content from another's
 */
public record OperationRequest(
    String kind, String subject, String caller, @Nullable String key, String fingerprint) {
  /** The header that carries the key (draft-ietf-httpapi-idempotency-key-header). */
  public static final String HEADER = "Idempotency-Key";

  private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");

  /**
   * Returns the operation that a request asks for.
   *
   * @throws RametException {@code INVALID_ARGUMENT} for an invalid key
   */
  public static OperationRequest from(
      HttpRequest<?> http, String kind, String subject, @Nullable String body) {
    return new OperationRequest(
        kind,
        subject,
        Caller.id(http),
        key(http.getHeaders().getAll(HEADER)),
        digest(http.getMethodName() + " " + http.getUri() + "\n" + (body == null ? "" : body)));
  }

  private static @Nullable String key(List<String> headers) {
    if (headers.isEmpty()) {
      return null;
    }
    String key = headers.get(0).strip();
    // The draft defines it as a quoted string; many clients omit the quotes.
    if (key.length() > 1 && key.startsWith("\"") && key.endsWith("\"")) {
      key = key.substring(1, key.length() - 1);
    }
    if (headers.size() > 1 || !KEY.matcher(key).matches()) {
      throw RametException.invalid(HEADER, "must be one of 1 to 255 visible ASCII characters");
    }
    return key;
  }

  static String digest(String text) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha256.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
