// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.MissingSecretException;
import dev.ramet.egress.rule.Placeholders;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.egress.rule.Secrets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Has rules about guests' requests take effect. Thread-safe. */
public final class GuestRequests {
  private final Secrets secrets;
  private final Function<String, @Nullable String> values;
  private final GuestAuthority authority;
  private final UpstreamTls upstreamTls;

  /**
   * Creates the one of an engine.
   *
   * @param secrets that rules refer to
   * @param values returns the value of a secret by its id or name, or null if there is none
   * @param authority that guests trust
   * @param upstreamTls for the hosts that guests ask
   */
  public GuestRequests(
      Secrets secrets,
      Function<String, @Nullable String> values,
      GuestAuthority authority,
      UpstreamTls upstreamTls) {
    this.secrets = secrets;
    this.values = values;
    this.authority = authority;
    this.upstreamTls = upstreamTls;
  }

  /**
   * Refuses rules that could not take effect.
   *
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} for a secret that is not there
   */
  public void check(RequestRules rules) {
    rules.check(secrets);
  }

  /** A sandbox's rules at work. */
  public RequestInterceptor rules(RequestRules rules) {
    return rules.none()
        ? RequestInterceptor.NONE
        : new HeaderInjector(new Source(rules), authority::context, upstreamTls);
  }

  /** The headers of rules with the values that secrets have at the moment of a request. */
  private final class Source implements HeaderSource {
    private final RequestRules rules;

    Source(RequestRules rules) {
      this.rules = rules;
    }

    @Override
    public boolean concerns(String name) {
      return rules.headers(name) != null;
    }

    @Override
    public Map<String, String> headers(String name) throws UnavailableException {
      Map<String, String> filled = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      Map<String, String> wanted = rules.headers(name);
      if (wanted != null) {
        for (Map.Entry<String, String> header : wanted.entrySet()) {
          filled.put(header.getKey(), value(header.getValue(), name));
        }
      }
      return filled;
    }

    private String value(String text, String name) throws UnavailableException {
      try {
        return Placeholders.fill(text, values);
      } catch (MissingSecretException e) {
        throw new UnavailableException(
            "the rules of this sandbox put the secret "
                + e.name()
                + " into requests to "
                + name
                + ", and it was deleted");
      }
    }
  }

  /** The certificate that a guest has to trust, in text form. */
  public String authority() {
    return authority.pem();
  }

  /** The secrets that rules refer to. */
  public Secrets secrets() {
    return secrets;
  }
}
