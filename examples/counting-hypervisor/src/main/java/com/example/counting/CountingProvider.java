// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.storage.Attachment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The plugin's entry point: probes whether it works here, and opens it. */
public final class CountingProvider implements HypervisorProvider {
  /** Written to disk with every saved state, so it must never change. */
  static final String ID = "counting";

  /**
   * Its guests are emulated, if that, and it has none of the optional abilities. State here what is
   * true of your machines: the host plans with it, and the kit tests it.
   */
  private static final HypervisorFacts FACTS =
      new HypervisorFacts(
          false,
          Set.of(),
          new HypervisorFacts.Accepts(
              Set.of(NetworkPlan.Kind.USER),
              Set.of(KernelFormat.BZIMAGE, KernelFormat.ELF),
              Set.of(Attachment.Kind.FILE, Attachment.Kind.BLOCK_DEVICE)),
          new HypervisorFacts.Saves(true, Set.of(Access.READ)),
          new HypervisorFacts.Restores(Map.of(), false, false, HypervisorFacts.Clock.SAVED),
          Set.of());

  private static final Duration TRIAL = Duration.ofSeconds(20);

  private final boolean countingIsEnough;

  /** Does nothing, as the contract requires: all that can fail happens in the probe. */
  public CountingProvider() {
    this(false);
  }

  /**
   * For the test kit, whose guests only need to count. Delete it once your machines run kernels.
   */
  CountingProvider(boolean countingIsEnough) {
    this.countingIsEnough = countingIsEnough;
  }

  @Override
  public String id() {
    return ID;
  }

  @Override
  public HypervisorFacts atBest() {
    return FACTS;
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    try {
      long pid = trial(where.root());
      String seen = "machine " + pid + " started, stood still, went on and was ended";
      if (countingIsEnough) {
        return new ProbeResult.Usable(FACTS, Map.of("trial", seen));
      }
      // A host must not choose it: its machines would start, and no guest would ever respond.
      return new ProbeResult.Unusable(
          "its machines run no guests",
          seen + "; but it executes no kernel",
          "put a hypervisor's program in the place of TrialMachine in the plugin's sources");
    } catch (RametException e) {
      String remedy = e.remedy();
      return new ProbeResult.Unusable(
          "cannot run its machines",
          String.valueOf(e.getMessage()),
          remedy == null ? "see the log of the host" : remedy);
    } catch (IOException e) {
      return new ProbeResult.Unusable(
          "cannot write", where.root() + ": " + e, "let the host's user read and write it");
    } catch (RuntimeException e) {
      return new ProbeResult.Failed(e);
    }
  }

  /** Uses a machine as a host would, and leaves nothing behind. */
  private static long trial(Path root) throws IOException {
    Path directory = Files.createTempDirectory(root, ".probe");
    try (Hypervisor driver = new CountingHypervisor()) {
      Path kernel = Files.createFile(directory.resolve("kernel"));
      Boot boot = new Boot(Map.of(KernelFormat.BZIMAGE, kernel), null, "");
      NetworkPlan network = new NetworkPlan.User("127.0.0.1", List.of(), false);
      VmSpec spec = new VmSpec("probe", directory, 1, 1 << 20, boot, List.of(), network, null);
      RunningVm vm = driver.boot(spec, TRIAL);
      try {
        PausedVm paused = vm.pause();
        paused.close();
        return vm.pid();
      } finally {
        vm.kill(TRIAL);
      }
    } finally {
      Files.deleteIfExists(directory.resolve("kernel"));
      Files.deleteIfExists(directory.resolve(CountingHypervisor.LOG));
      Files.delete(directory);
    }
  }

  @Override
  public Hypervisor open(ProbeContext where) {
    return new CountingHypervisor();
  }
}
