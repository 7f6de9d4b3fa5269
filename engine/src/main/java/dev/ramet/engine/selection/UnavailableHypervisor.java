// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Takes the place of the hypervisor when none works on this host: the host still starts, so that it
 * can report why, and every operation that needs a machine fails with the reason and the remedy.
 */
public final class UnavailableHypervisor implements Hypervisor {
  /** The facts about no hypervisor. They refuse nothing, so that its own error is reported. */
  static final HypervisorFacts FACTS =
      new HypervisorFacts(
          false,
          Set.of(),
          new HypervisorFacts.Accepts(
              Set.of(), Set.of(KernelFormat.values()), Set.of(Attachment.Kind.values())),
          new HypervisorFacts.Saves(true, Set.of()),
          new HypervisorFacts.Restores(Map.of(), false, true, HypervisorFacts.Clock.SAVED),
          Set.of());

  private final String reason;
  private final String remedy;

  public UnavailableHypervisor(String reason, String remedy) {
    this.reason = reason;
    this.remedy = remedy;
  }

  @Override
  public RunningVm boot(VmSpec spec, Duration timeout) {
    throw unavailable();
  }

  @Override
  public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
    throw unavailable();
  }

  @Override
  public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
    throw unavailable();
  }

  @Override
  public void reap(Path directory) {
    // Without a hypervisor, no machine of its exists that could be ended.
  }

  @Override
  public void close() {}

  private RametException unavailable() {
    return new RametException(
        ErrorCode.HOST_UNFIT, "no hypervisor works on this host: " + reason, remedy, null);
  }
}
