// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.egress.rule.Secrets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Applies the rules about guests' requests. Thread-safe. */
public final class GuestRequests {
  private final Secrets secrets;
  private final Function<String, @Nullable String> values;
  private final GuestAuthority authority;
  private final UpstreamTls upstreamTls;

  /**
   * Creates the instance of an engine.
   *
   * @param secrets that rules refer to
   * @param values returns the value of a secret by its id or name, or null if there is none
   * @param authority that guests trust
   * @param upstreamTls for the hosts that guests connect to
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
   * Refuses rules that cannot be applied.
   *
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} for an unknown secret
   */
  public void check(RequestRules rules) {
    rules.check(secrets);
  }

  /** Returns the interceptor for a sandbox's rules. */
  public RequestInterceptor rules(RequestRules rules) {
    return rules.isEmpty()
        ? RequestInterceptor.NONE
        : new HeaderInjector(rules, values, authority, upstreamTls);
  }

  /** Returns the certificate that a guest must trust, in PEM form. */
  public String authority() {
    return authority.pem();
  }

  /** Returns the secrets that rules refer to. */
  public Secrets secrets() {
    return secrets;
  }
}
