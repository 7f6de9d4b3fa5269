// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.monitor.QmpException;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.hypervisors.qemu.process.VmProcess;
import dev.ramet.hypervisors.qemu.program.CommandLine;
import dev.ramet.hypervisors.qemu.program.Installation;
import dev.ramet.hypervisors.qemu.program.RamBlocks;
import dev.ramet.hypervisors.qemu.program.RunningCommand;
import dev.ramet.hypervisors.qemu.program.SpecChecks;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Boots, restores and reattaches machines in QEMU. Thread-safe.
 *
 * <p>Errors in addition to the contract's: {@code CONFLICT} when the machine's directory is in use,
 * or when another process listens on an address to be forwarded, in which case another loopback
 * address may succeed; {@code CORRUPT} when the saved state is not a state saved by QEMU.
 */
public final class QemuHypervisor implements Hypervisor {
  private static final Duration REAP = Duration.ofSeconds(30);

  private final Installation qemu;

  /** The machines this driver is connected to, by directory. */
  private final Map<Path, QemuVm> machines = new ConcurrentHashMap<>();

  public QemuHypervisor(Installation qemu) {
    this.qemu = qemu;
  }

  @Override
  public RunningVm boot(VmSpec spec, Duration timeout) {
    SpecChecks.check(spec);
    Deadline deadline = Deadline.after(timeout);
    VmFiles files = requireFree(spec);
    VmFiles.delete(files.ramBlocks());
    Launch launch = Launch.start(qemu, spec, files, null, deadline);
    try {
      Machine machine = launch.connect();
      launch.saveRamBlocks();
      machine.execute("cont", deadline);
      return vm(spec, qemu.identity(spec), CommandLine.MEMFD_MAPPING, machine);
    } catch (RuntimeException | Error e) {
      undo(launch, e);
      throw e;
    }
  }

  @Override
  public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
    SpecChecks.check(spec);
    VmIdentity identity = qemu.identity(spec);
    SpecChecks.checkIdentity(saved.identity(), identity);
    Path image = SpecChecks.imagePath(saved, spec);
    Deadline deadline = Deadline.after(timeout);
    VmFiles files = requireFree(spec);
    VmFiles.delete(files.ramBlocks());
    Launch launch;
    try {
      concatenate(saved.devices(), files.incoming());
      launch = Launch.start(qemu, spec, files, image, deadline);
    } catch (RuntimeException | Error e) {
      files.removeAll();
      throw e;
    }
    try {
      inherit(saved.devices(), files);
      Machine machine = launch.connect();
      launch.awaitLoaded();
      VmFiles.delete(files.incoming());
      return vm(spec, identity, image.toString(), machine).beginPause();
    } catch (RuntimeException | Error e) {
      undo(launch, e);
      throw e;
    }
  }

  @Override
  public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
    Deadline deadline = Deadline.after(timeout);
    if (!Files.isDirectory(spec.directory())) {
      return Optional.empty();
    }
    VmFiles files = VmFiles.of(spec.directory());
    Optional<VmProcess> found = VmProcess.find(files);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    VmProcess process = found.get();
    QemuVm known = machines.get(files.directory());
    if (known != null && known.pid() == process.pid()) {
      // A QEMU monitor serves one client at a time, and this driver already holds the connection.
      known.takeBackPause(deadline);
      return Optional.of(known);
    }
    if (!Files.exists(files.ramBlocks())) {
      // The start was interrupted before the first instruction, so there is nothing to return to.
      process.kill(deadline);
      files.removeAll();
      return Optional.empty();
    }
    Machine machine;
    try {
      Path socket = files.socket(VmFiles.MONITOR, process.pid());
      machine = new Machine(files, process, Qmp.connect(socket, process::alive, deadline));
    } catch (QmpException e) {
      if (!process.alive()) {
        return Optional.empty();
      }
      throw Machine.failure(files, e);
    }
    try {
      RunningCommand running = RunningCommand.parse(process.arguments());
      VmIdentity identity = running.installation(qemu, version(machine, deadline)).identity(spec);
      machine.resumeMachine(deadline);
      String ramPath = running.ramPath();
      return Optional.of(
          RunningCommand.stopsOnDiskErrors(process.arguments())
              ? vm(spec, identity, ramPath, machine)
              : known(new QemuVm(spec, identity, ramPath, machine)));
    } catch (RuntimeException | Error e) {
      machine.disconnect();
      throw e;
    }
  }

  @Override
  public void reap(Path directory) {
    Deadline deadline = Deadline.after(REAP);
    for (VmProcess process : VmProcess.findBelow(realPath(directory))) {
      process.kill(deadline);
    }
  }

  @Override
  public void close() {
    machines.values().forEach(vm -> vm.machine().disconnect());
    machines.clear();
  }

  /** Returns QEMU's version as identities record it. */
  public static String version(Machine machine, Deadline deadline) {
    JsonNode answer = machine.execute("query-version", deadline);
    JsonNode number = answer.path("qemu");
    String version =
        number.path("major").asInt()
            + "."
            + number.path("minor").asInt()
            + "."
            + number.path("micro").asInt();
    String packaged = answer.path("package").asText().strip();
    return packaged.isEmpty() ? version : version + " (" + packaged + ")";
  }

  private QemuVm vm(VmSpec spec, VmIdentity identity, String ramPath, Machine machine) {
    return known(new StoppingQemuVm(spec, identity, ramPath, machine));
  }

  private QemuVm known(QemuVm vm) {
    Machine machine = vm.machine();
    Path directory = machine.files().directory();
    machines.put(directory, vm);
    var unused = machine.exit().thenRun(() -> machines.remove(directory, vm));
    return vm;
  }

  private static VmFiles requireFree(VmSpec spec) {
    VmFiles files = VmFiles.of(spec.directory());
    if (VmProcess.find(files).isPresent()) {
      throw new RametException(ErrorCode.CONFLICT, "another machine runs in " + files.directory());
    }
    return files;
  }

  /** Writes the stream that QEMU loads: the RAM blocks, then the device sections. */
  private static void concatenate(Path saved, Path into) {
    List<Path> parts = List.of(saved.resolve(VmFiles.RAM_BLOCKS), saved.resolve(VmFiles.DEVICES));
    try (OutputStream out = Files.newOutputStream(into)) {
      for (int i = 0; i < parts.size(); i++) {
        try (InputStream in = Files.newInputStream(parts.get(i))) {
          byte[] header = in.readNBytes(RamBlocks.HEADER_BYTES);
          if (!RamBlocks.isHeader(header)) {
            throw new RametException(
                ErrorCode.CORRUPT, "not a saved state of QEMU: " + parts.get(i));
          }
          if (i == 0) {
            out.write(header);
          }
          in.transferTo(out);
        }
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.CORRUPT, "cannot read the saved state in " + saved + ": " + e.getMessage(), e);
    }
  }

  private static void inherit(Path saved, VmFiles files) {
    try {
      DeviceSave.share(saved.resolve(VmFiles.RAM_BLOCKS), files.ramBlocks());
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot write in " + files.directory() + ": " + e.getMessage(), e);
    }
  }

  private static void undo(Launch launch, Throwable cause) {
    try {
      launch.abort();
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  private static Path realPath(Path directory) {
    try {
      return directory.toRealPath();
    } catch (IOException e) {
      return directory.toAbsolutePath().normalize(); // gone; its processes may remain
    }
  }
}
