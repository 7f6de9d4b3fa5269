// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.egress.rule.Secrets;
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
        : new HeaderInjector(rules, values, authority, upstreamTls);
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
