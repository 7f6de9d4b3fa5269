// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.monitor.QmpException;
import dev.ramet.hypervisors.qemu.program.Accelerator;
import dev.ramet.hypervisors.qemu.program.CommandLine;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The probe's guest (src/main/asm/probe.S). As firmware it does what a Linux guest needs from an
 * accelerator and then ends QEMU; as a kernel it halts.
 */
final class ProbeGuest {
  /** {@code 2 * 42 + 1}: how isa-debug-exit reports the guest's byte 42. */
  private static final int SUCCESS = 85;

  /** The smallest firmware that the pc machine maps completely below 1 MiB. */
  private static final int FIRMWARE_BYTES = 64 * 1024;

  /** The guest takes 40 ms under the emulator; a busy host must not look like one without KVM. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final long POLL_MILLIS = 10;

  /** States that a guest never leaves by itself, from RunState in QEMU's qapi/run-state.json. */
  private static final Set<String> KEPT = Set.of("internal-error", "io-error", "guest-panicked");

  private ProbeGuest() {}

  static byte[] bytes() {
    try (InputStream in =
        Objects.requireNonNull(ProbeGuest.class.getResourceAsStream("probe.bin"), "probe.bin")) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException("the module's own resource cannot be read", e);
    }
  }

  /**
   * Runs the guest as firmware.
   *
   * @param scratch a directory of the caller
   * @return why the accelerator cannot be used, or empty if it can
   */
  static Optional<String> run(Path binary, Accelerator accelerator, Path scratch)
      throws IOException, InterruptedException {
    byte[] code = bytes();
    byte[] firmware = new byte[FIRMWARE_BYTES];
    System.arraycopy(code, 0, firmware, firmware.length - code.length, code.length);
    Path file = Files.write(scratch.resolve("firmware"), firmware);
    Path log = scratch.resolve("firmware.log");
    VmFiles files = VmFiles.of(scratch);
    Process process =
        new ProcessBuilder(
                List.of(
                    binary.toString(),
                    "-machine",
                    "pc",
                    "-accel",
                    accelerator.option(),
                    "-cpu",
                    accelerator.cpu(),
                    "-m",
                    "16",
                    "-bios",
                    file.toString(),
                    "-nodefaults",
                    "-no-user-config",
                    "-display",
                    "none",
                    "-no-reboot",
                    "-qmp",
                    CommandLine.MONITOR,
                    // Lets a later host process find this QEMU if this process dies first.
                    "-pidfile",
                    files.pidFile().toString(),
                    "-device",
                    "isa-debug-exit,iobase=0xf4,iosize=4"))
            .directory(scratch.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(log.toFile())
            .redirectErrorStream(true)
            .start();
    try {
      Deadline deadline = Deadline.after(TIMEOUT);
      String stopped = awaitExit(process, files, deadline);
      if (stopped != null) {
        return Optional.of("QEMU stopped a test guest: " + stopped + outputOf(log));
      }
      if (!process.waitFor(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
        return Optional.of(
            "a test guest did not finish its checks of long mode, exceptions and system calls"
                + " within "
                + TIMEOUT.toMillis()
                + " ms"
                + outputOf(log));
      }
      return switch (process.exitValue()) {
        case SUCCESS -> Optional.empty();
        case 0 -> Optional.of("a test guest was reset by an exception it should have handled");
        default -> Optional.of("QEMU ended with status " + process.exitValue() + outputOf(log));
      };
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /**
   * Watches a guest until it has exited. QEMU stops and keeps a guest that KVM cannot continue, so
   * waiting only for its exit would not end.
   *
   * @return the state in which QEMU keeps the guest; null when it has exited or its time is up
   */
  private static @Nullable String awaitExit(Process process, VmFiles files, Deadline deadline)
      throws IOException, InterruptedException {
    try (Qmp monitor =
        Qmp.connect(files.socket(VmFiles.MONITOR, process.pid()), process::isAlive, deadline)) {
      while (!deadline.passed()) {
        String status = monitor.execute("query-status", deadline).path("status").asText();
        if (KEPT.contains(status)) {
          return status;
        }
        if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          return null;
        }
      }
    } catch (QmpException e) {
      // It has exited or does not answer; the caller's wait for the process shows which.
    }
    return null;
  }

  /** Returns only the first line of the log, because a dump of registers follows. */
  private static String outputOf(Path log) throws IOException {
    return Files.readString(log)
        .lines()
        .filter(line -> !line.contains(VmFiles.WAITING))
        .findFirst()
        .map(line -> ": " + line)
        .orElse("");
  }
}
