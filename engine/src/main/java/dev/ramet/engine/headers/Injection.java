// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.engine.RequestRules;
import dev.ramet.engine.relay.HeaderRules;
import dev.ramet.engine.relay.Upstream;
import dev.ramet.engine.secret.MissingSecretException;
import dev.ramet.engine.secret.Placeholders;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one sandbox at work: ends the TLS of its guest where there is some, puts headers
 * into each request, with the values that secrets have at that moment, and passes it on by a
 * connection of its own. Thread-safe.
 */
final class Injection implements HeaderRules {
  private final RequestRules rules;
  private final Function<String, @Nullable String> secrets;
  private final GuestTls guestTls;
  private final OutwardTls outwardTls;

  /**
   * Rules at work.
   *
   * @param secrets the value of a secret by its id or name, or null when there is none
   */
  Injection(
      RequestRules rules,
      Function<String, @Nullable String> secrets,
      GuestTls guestTls,
      OutwardTls outwardTls) {
    this.rules = rules;
    this.secrets = secrets;
    this.guestTls = guestTls;
    this.outwardTls = outwardTls;
  }

  @Override
  public boolean concerns(String name) {
    return rules.headers(name) != null;
  }

  @Override
  public void serve(
      String name, boolean tls, InputStream fromGuest, OutputStream toGuest, Upstream upstream)
      throws IOException {
    if (!tls) {
      new Session(name, () -> headers(name), () -> Far.of(upstream.connect(name)))
          .run(fromGuest, toGuest);
      return;
    }
    try (SSLSocket guest = guestTls.accept(name, fromGuest, toGuest)) {
      new Session(
              name,
              () -> headers(name),
              () -> Far.of(outwardTls.connect(upstream.connect(name), name)))
          .run(guest.getInputStream(), guest.getOutputStream());
    }
  }

  /** The headers of now. */
  private Map<String, String> headers(String name) throws MissingSecretException {
    Map<String, String> filled = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Map<String, String> wanted = rules.headers(name);
    if (wanted != null) {
      for (Map.Entry<String, String> header : wanted.entrySet()) {
        filled.put(header.getKey(), Placeholders.fill(header.getValue(), secrets));
      }
    }
    return filled;
  }
}
