// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Ground for tests of outbound connections from guests. */
final class EgressGround {
  /** A documentation address that nobody ever has (RFC 5737). */
  static final String NOBODY = "198.51.100.7";

  /** Loopback addresses that guests must not reach, so that they may reach the others. */
  static final String NEVER = "127.3.0.0/16";

  private static final long POOL_BYTES = 3L << 30;

  private EgressGround() {}

  /** Makes ground whose guests may reach this host's loopback addresses except {@link #NEVER}. */
  static Ground make() throws IOException {
    return make(config -> outbound(config, true, List.of(NEVER)));
  }

  /** Returns a configuration with an outbound policy. */
  static EngineConfig outbound(EngineConfig config, boolean byDefault, List<String> never) {
    return config
        .with("ramet.outbound", Boolean.toString(byDefault))
        .with("ramet.outbound-never", String.join(",", never));
  }

  /**
   * Makes ground with the outbound rules that are supplied at each start of its engine. Skips the
   * test on a host that cannot filter.
   */
  static Ground make(UnaryOperator<EngineConfig> outbound) throws IOException {
    return Ground.make(Files.createTempDirectory("ramet-it-"), POOL_BYTES, outbound)
        .under(
            ground -> {
              String filter =
                  ground.engine().doctor().report(false).host().getOrDefault("networkFilter", "");
              Require.feature("egress", !filter.startsWith("unusable"), filter);
              return ground;
            });
  }

  /**
   * Creates a sandbox with egress rules.
   *
   * @param outbound whether it may open connections; null for the host's default
   */
  static Sandbox create(Ground ground, @Nullable Boolean outbound, NetworkRules rules) {
    return ground
        .engine()
        .sandboxes()
        .create(
            NewSandbox.of(Ground.TEMPLATE)
                .outbound(outbound)
                .rules(SandboxRules.PLAIN.with(rules))
                .build());
  }
}
