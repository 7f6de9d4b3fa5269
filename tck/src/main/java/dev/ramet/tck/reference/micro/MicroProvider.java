// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.storage.Attachment;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Provides the hypervisor, or another one with the same facts or others. */
public final class MicroProvider implements HypervisorProvider {
  /** The facts about its machines. */
  public static final HypervisorFacts FACTS =
      new HypervisorFacts(
          false,
          Set.of(),
          new HypervisorFacts.Accepts(
              Set.of(NetworkPlan.Kind.TAP),
              Set.of(KernelFormat.ELF),
              Set.of(Attachment.Kind.FILE, Attachment.Kind.BLOCK_DEVICE)),
          new HypervisorFacts.Saves(false, Set.of(Access.READ, Access.DIRTY_LOG)),
          new HypervisorFacts.Restores(
              Map.of("version", "1"), true, false, HypervisorFacts.Clock.SAVED),
          Set.of());

  private final HypervisorFacts facts;
  private final Supplier<Hypervisor> driver;

  /** Creates a provider of the hypervisor. */
  public MicroProvider() {
    this(FACTS, MicroHypervisor::new);
  }

  MicroProvider(HypervisorFacts facts, Supplier<Hypervisor> driver) {
    this.facts = facts;
    this.driver = driver;
  }

  @Override
  public String id() {
    return MicroSpecs.ID;
  }

  @Override
  public HypervisorFacts atBest() {
    return facts;
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return new ProbeResult.Usable(facts, Map.of());
  }

  @Override
  public Hypervisor open(ProbeContext where) {
    return driver.get();
  }
}
