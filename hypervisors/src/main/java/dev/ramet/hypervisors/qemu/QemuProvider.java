// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.probe.Probe;
import dev.ramet.hypervisors.qemu.program.Accelerator;
import dev.ramet.hypervisors.qemu.program.Installation;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds and opens QEMU, with KVM where it works and the emulator (TCG) elsewhere. Thread-safe.
 *
 * <p>For people, its facts also name {@code restore}, {@code reattach}, {@code user-network},
 * {@code reboot-after-restore}, {@code generation-id} and the accelerator.
 */
public final class QemuProvider implements HypervisorProvider {
  static final String ID = Installation.ID;

  /** The usable outcome of the last probe by settings, so that opening does not probe again. */
  private final Map<Settings, Probe.Outcome> known = new ConcurrentHashMap<>();

  /** Creates a provider; does nothing else. */
  public QemuProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public HypervisorFacts atBest() {
    return Probe.facts(Accelerator.KVM, Map.of());
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(Probe.BINARY);
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    return outcome(where).result();
  }

  /**
   * Opens the driver. Throws {@code HOST_UNFIT} with the probe's remedy when QEMU cannot be used
   * here.
   */
  @Override
  public Hypervisor open(ProbeContext where) {
    Probe.Outcome outcome = known.get(where.settings());
    if (outcome == null) {
      outcome = outcome(where);
    }
    Installation installation = outcome.installation();
    if (installation != null) {
      return new QemuHypervisor(installation);
    }
    if (outcome.result() instanceof ProbeResult.Unusable no) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, no.reason() + ": " + no.detail(), no.remedy(), null);
    }
    Throwable cause = outcome.result() instanceof ProbeResult.Failed f ? f.cause() : null;
    throw new RametException(ErrorCode.INTERNAL, "the probe of QEMU failed", cause);
  }

  private Probe.Outcome outcome(ProbeContext where) {
    Probe.Outcome outcome = Probe.run(where);
    if (outcome.installation() == null) {
      known.remove(where.settings());
    } else {
      known.put(where.settings(), outcome);
    }
    return outcome;
  }
}
