// SPDX-License-Identifier: Apache-2.0
package com.example.faulty;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

/** Wraps the host's qemu hypervisor in a saboteur. */
public final class FaultyHypervisor implements HypervisorProvider {
  /** Does nothing. */
  public FaultyHypervisor() {}

  private static HypervisorProvider real() {
    return Saboteur.real(ServiceLoader.load(ModuleLayer.boot(), HypervisorProvider.class), "qemu");
  }

  @Override
  public String id() {
    return "faulty-hypervisor";
  }

  @Override
  public HypervisorFacts atBest() {
    return Saboteur.isBetter()
        ? better(real().atBest())
        : real().atBest();
  }

  private static HypervisorFacts better(HypervisorFacts real) {
    return new HypervisorFacts(
        true,
        Set.of(HypervisorFeature.values()),
        real.accepts(),
        real.saves(),
        new HypervisorFacts.Restores(
            Map.of("version", "faulty"), false, true, HypervisorFacts.Clock.SAVED),
        Set.of());
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return Saboteur.stating(atBest(), real().probe(where));
  }

  @Override
  public Hypervisor open(ProbeContext where) {
    return Saboteur.before(Hypervisor.class, real().open(where));
  }
}
