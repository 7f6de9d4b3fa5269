// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.NetworkRules;
import dev.ramet.engine.NewSandbox;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.SandboxRules;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ground for what guests reach by themselves. */
final class EgressGround {
  /** An address that is never anybody's (RFC 5737). */
  static final String NOBODY = "198.51.100.7";

  /** Addresses of this host that no guest reaches, so that its others can be. */
  static final String NEVER = "127.3.0.0/16";

  private static final long POOL_BYTES = 3L << 30;

  private EgressGround() {}

  /** Ground whose guests may reach this host's loopback addresses but {@link #NEVER}. */
  static Ground make() throws IOException {
    return make(() -> new EngineConfig.Outbound(true, List.of(NEVER)));
  }

  /**
   * Ground whose guests may reach what is told at each start of its engine. A host that cannot
   * filter is not fit for the test.
   */
  static Ground make(Supplier<EngineConfig.Outbound> outbound) throws IOException {
    return Ground.make(
            Files.createTempDirectory("ramet-it-"),
            POOL_BYTES,
            config -> config.withOutbound(outbound.get()))
        .under(
            ground -> {
              String filter =
                  ground.engine().doctor().report(false).host().getOrDefault("networkFilter", "");
              Require.feature("egress", !filter.startsWith("unusable"), filter);
              return ground;
            });
  }

  /**
   * A sandbox with rules.
   *
   * @param outbound whether it may open connections; null for what its host does
   */
  static Sandbox create(Ground ground, @Nullable Boolean outbound, NetworkRules rules) {
    return ground
        .engine()
        .sandboxes()
        .create(
            new NewSandbox(
                Ground.TEMPLATE,
                null,
                Map.of(),
                Map.of(),
                null,
                null,
                null,
                outbound,
                null,
                SandboxRules.PLAIN.with(rules)));
  }
}
