// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.program.Accelerator;
import dev.ramet.hypervisors.qemu.program.HostCpu;
import dev.ramet.hypervisors.qemu.program.Installation;
import dev.ramet.hypervisors.qemu.program.SpecChecks;
import dev.ramet.spi.HostPrograms;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.Attachment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds out by trial whether and how QEMU can be used on this host. */
public final class Probe {
  private static final String PROGRAM = "qemu-system-x86_64";

  /** The program of QEMU. */
  public static final Setting<Path> BINARY =
      Setting.path("binary", "The QEMU program: a path, or a name to look up in PATH.")
          .orElse(PROGRAM)
          .like("/opt/qemu/bin/" + PROGRAM);

  private static final Path KVM_DEVICE = Path.of("/dev/kvm");

  private Probe() {}

  /**
   * The outcome of a probe.
   *
   * @param result the result for the caller
   * @param installation the QEMU to use, or null when it cannot be used
   */
  public record Outcome(ProbeResult result, @Nullable Installation installation) {}

  private record Choice(@Nullable Accelerator accelerator, String kvm, String remedy) {}

  public static Outcome run(ProbeContext where) {
    String name;
    String accelerator;
    try {
      name = where.settings().find(BINARY).map(Path::toString).orElse(PROGRAM);
      accelerator = where.settings().get(HypervisorProvider.ACCELERATOR);
    } catch (RametException e) {
      return unusable("a setting is invalid", String.valueOf(e.getMessage()), "correct it");
    }
    Optional<Path> binary = program(name);
    if (binary.isEmpty()) {
      return unusable(
          "QEMU is not installed",
          "no executable " + name,
          "install qemu-system-x86, or set `binary` to its path");
    }
    Optional<Path> setsid = program("setsid");
    if (setsid.isEmpty()) {
      return unusable("setsid is not installed", "no executable setsid", "install util-linux");
    }
    try (ScratchDirectory scratch = ScratchDirectory.createIn(where.root())) {
      return inspect(binary.get(), setsid.get(), accelerator, scratch.path());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Outcome(new ProbeResult.Failed(e), null);
    } catch (IOException | RuntimeException e) {
      return new Outcome(new ProbeResult.Failed(e), null);
    }
  }

  private static Outcome inspect(Path binary, Path setsid, String wanted, Path scratch)
      throws IOException, InterruptedException {
    BinaryFacts inquiry = BinaryFacts.query(binary, scratch);
    if (!inquiry.missing().isEmpty() || inquiry.pc().isEmpty()) {
      return unusable(
          "this QEMU lacks what the driver needs",
          inquiry.version() + " lacks " + inquiry.missing() + " or the machine type pc",
          "install QEMU 7.2 or later with the x86 PC machines");
    }
    Choice choice = chooseAccelerator(wanted, binary, scratch);
    Accelerator accelerator = choice.accelerator();
    if (accelerator == null) {
      return unusable("KVM does not work here", choice.kvm(), choice.remedy());
    }
    Installation installation =
        new Installation(
            binary,
            setsid,
            inquiry.version(),
            inquiry.pc().get(),
            accelerator,
            accelerator == Accelerator.KVM ? HostCpu.name() : "");
    Map<String, String> stateNeeds =
        Map.of(
            "version", inquiry.version(),
            "machine", inquiry.pc().get(),
            "accelerator", accelerator.id());
    Map<String, String> evidence = new LinkedHashMap<>();
    evidence.put("binary", binary.toString());
    evidence.putAll(stateNeeds);
    evidence.put("kvm", choice.kvm());
    if (accelerator == Accelerator.TCG) {
      evidence.put(
          ProbeResult.LIMITATION,
          "guests are emulated, which is about ten times slower: " + choice.kvm());
    }
    try {
      evidence.putAll(Trial.run(installation, scratch));
    } catch (RametException e) {
      if (e.code() == ErrorCode.DEADLINE_EXCEEDED) {
        // A timeout tells more about the host's current load than about this QEMU.
        return new Outcome(new ProbeResult.Failed(e), null);
      }
      return unusable(
          "a test machine could not be booted, saved and restored",
          String.valueOf(e.getMessage()),
          "install a QEMU (7.2 or later) with virtio devices, vmgenid and seccomp");
    }
    return new Outcome(
        new ProbeResult.Usable(facts(accelerator, stateNeeds), evidence), installation);
  }

  /**
   * Returns the facts.
   *
   * @param stateNeeds the properties that a saved state depends on
   */
  public static HypervisorFacts facts(Accelerator accelerator, Map<String, String> stateNeeds) {
    return new HypervisorFacts(
        accelerator == Accelerator.KVM,
        Set.of(
            HypervisorFeature.DISK_WRITES,
            HypervisorFeature.DISK_WRITE_LOG,
            HypervisorFeature.GUEST_SECRET,
            HypervisorFeature.STOPS_ON_DISK_ERROR),
        new HypervisorFacts.Accepts(
            Set.of(NetworkPlan.Kind.USER),
            Set.copyOf(SpecChecks.KERNELS),
            Set.of(Attachment.Kind.FILE, Attachment.Kind.BLOCK_DEVICE, Attachment.Kind.NBD)),
        // Nothing changes memory during a save, see QemuSavingVm.
        new HypervisorFacts.Saves(true, Set.of(Access.READ, Access.SOFT_DIRTY, Access.INJECT)),
        // A new process is given the disks' paths and makes a generation id, see CommandLine. The
        // guest's clock is part of the saved state.
        new HypervisorFacts.Restores(stateNeeds, false, true, HypervisorFacts.Clock.SAVED),
        Set.of(
            "restore",
            "reattach",
            "user-network",
            "reboot-after-restore",
            "generation-id",
            accelerator.id()));
  }

  private static Choice chooseAccelerator(String wanted, Path binary, Path scratch)
      throws IOException, InterruptedException {
    if (wanted.equals("tcg")) {
      return new Choice(Accelerator.TCG, "not tested, because the accelerator is set to tcg", "");
    }
    Choice no;
    if (!Files.exists(KVM_DEVICE)) {
      no =
          new Choice(
              null,
              "there is no " + KVM_DEVICE,
              "enable virtualization in the firmware or for this virtual machine, and load"
                  + " kvm_intel or kvm_amd");
    } else if (!Files.isReadable(KVM_DEVICE) || !Files.isWritable(KVM_DEVICE)) {
      no = new Choice(null, KVM_DEVICE + " cannot be opened", "add the user to the group kvm");
    } else {
      Optional<String> why = ProbeGuest.run(binary, Accelerator.KVM, scratch);
      if (why.isEmpty()) {
        return new Choice(Accelerator.KVM, "a test guest ran", "");
      }
      no = new Choice(null, why.get(), "use a host whose KVM runs Linux guests");
    }
    return wanted.equals("kvm")
        ? no
        : new Choice(Accelerator.TCG, no.kvm() + "; using tcg. To change that: " + no.remedy(), "");
  }

  private static Optional<Path> program(String name) {
    if (name.contains("/")) {
      return Optional.of(Path.of(name).toAbsolutePath()).filter(Files::isExecutable);
    }
    return HostPrograms.find(name);
  }

  private static Outcome unusable(String reason, String detail, String remedy) {
    return new Outcome(new ProbeResult.Unusable(reason, detail, remedy), null);
  }
}
