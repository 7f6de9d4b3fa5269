// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.engine.RequestRules;
import dev.ramet.engine.relay.HeaderRules;
import dev.ramet.engine.state.SecretFile;

/** Has rules about guests' requests take effect. Thread-safe. */
public final class GuestRequests {
  private final SecretFile secrets;
  private final GuestAuthority authority;
  private final GuestTls guestTls;
  private final OutwardTls outwardTls;

  /**
   * One for an engine.
   *
   * @param secrets what rules refer to
   * @param authority whom guests trust
   * @param outwardTls speaks to hosts
   */
  public GuestRequests(SecretFile secrets, GuestAuthority authority, OutwardTls outwardTls) {
    this.secrets = secrets;
    this.authority = authority;
    this.guestTls = new GuestTls(authority);
    this.outwardTls = outwardTls;
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
  public HeaderRules rules(RequestRules rules) {
    return rules.none()
        ? HeaderRules.NONE
        : new Injection(rules, secrets::value, guestTls, outwardTls);
  }

  /** The certificate that a guest has to trust, in text form. */
  public String authority() {
    return authority.pem();
  }

  /** The secrets that rules refer to. */
  public SecretFile secrets() {
    return secrets;
  }
}
