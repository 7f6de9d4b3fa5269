// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.GuestSecret;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A hypervisor in the heap that keeps the contract and is used to test the kit. Its guests only
 * count. Thread-safe.
 */
class ReferenceHypervisor implements Hypervisor {
  static final String ID = "reference";

  /** The file in a machine's directory that names its process. */
  static final String PID = "reference.pid";

  private static final long MIB = 1 << 20;

  final ReferenceMachines machines;
  private final Map<Long, ReferenceVm> known = new ConcurrentHashMap<>();

  ReferenceHypervisor(ReferenceMachines machines) {
    this.machines = machines;
  }

  VmIdentity identity(VmSpec spec) {
    Map<String, String> machine = new TreeMap<>();
    machine.put("cpuCount", Integer.toString(spec.cpuCount()));
    machine.put("memoryBytes", Long.toString(spec.memoryBytes()));
    return new VmIdentity(ID, "1.0", machine);
  }

  /** Creates the machine of a process. */
  ReferenceVm vm(VmSpec spec, ReferenceMachines.Guest process) {
    return new ReferenceVm(this, spec, process);
  }

  @Override
  public RunningVm boot(VmSpec spec, Duration timeout) {
    check(spec);
    return started(spec, 0).letRun();
  }

  /** Returns the memory that a handler fills. */
  FaultedMemory connect(MemorySource.FaultHandler handler) {
    return new FaultedMemory(FaultHandlers.connect(handler));
  }

  private ReferenceVm started(VmSpec spec, long counted) {
    synchronized (machines) {
      if (running(spec.directory()).isPresent()) {
        throw new RametException(ErrorCode.CONFLICT, "in use: " + spec.directory());
      }
      ReferenceMachines.Guest process =
          machines.start(spec.directory(), spec.memoryBytes(), counted);
      GuestSecret secret = spec.secret();
      process.secret = secret == null ? null : secret.text();
      try {
        Files.writeString(spec.directory().resolve(PID), Long.toString(process.pid));
      } catch (IOException e) {
        machines.end(process.pid, true);
        throw new RametException(ErrorCode.HOST_UNFIT, "cannot write: " + e.getMessage(), e);
      }
      ReferenceVm vm = vm(spec, process);
      known.put(process.pid, vm);
      return vm;
    }
  }

  @Override
  public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
    check(spec);
    checkIdentity(saved.identity(), identity(spec));
    if (saved.memory() instanceof MemorySource.FaultHandler handler) {
      ReferenceState.checkDevices(saved);
      FaultedMemory memory = connect(handler);
      if (memory.sizeBytes() != spec.memoryBytes()) {
        throw new RametException(ErrorCode.CORRUPT, "not the memory of this machine: " + handler);
      }
      ReferenceVm restored = started(spec, memory.firstNumber());
      restored.process.faulted = memory;
      return restored.standStill();
    }
    long counted = ReferenceState.read(saved, spec);
    return started(spec, counted).standStill();
  }

  void checkIdentity(VmIdentity saved, VmIdentity own) {
    if (!saved.equals(own)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "the saved machine is " + saved + ", this one is " + own);
    }
  }

  /** Returns the process that a directory's file names. */
  Optional<ReferenceMachines.Guest> running(Path directory) {
    try {
      long pid = Long.parseLong(Files.readString(directory.resolve(PID)));
      return Optional.ofNullable(machines.find(pid))
          .filter(process -> process.directory.equals(directory));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
    return running(spec.directory())
        .map(process -> known.computeIfAbsent(process.pid, pid -> vm(spec, process)).takeBack());
  }

  @Override
  public void reap(Path directory) {
    machines.below(directory).forEach(pid -> machines.end(pid, false));
  }

  @Override
  public void close() {
    known.clear();
  }

  /** Refuses invalid specifications. */
  void check(VmSpec spec) {
    if (spec.cpuCount() < 1) {
      throw RametException.invalid("cpuCount", "less than 1");
    }
    if (spec.memoryBytes() < MIB || spec.memoryBytes() % MIB != 0) {
      throw RametException.invalid("memoryBytes", "not a positive multiple of 1 MiB");
    }
    if (!Files.isDirectory(spec.directory())) {
      throw RametException.invalid("directory", "not a directory: " + spec.directory());
    }
    Path kernel = spec.boot().kernels().get(KernelFormat.BZIMAGE);
    if (kernel == null || !Files.isReadable(kernel)) {
      throw RametException.invalid("boot.kernels", "cannot be read: " + kernel);
    }
    if (spec.disks().stream().anyMatch(disk -> !Files.isReadable(place(disk.image())))) {
      throw RametException.invalid("disks", "cannot be read: " + spec.disks());
    }
    if (!(spec.network() instanceof NetworkPlan.User network)
        || !network.address().matches("127(\\.[0-9]{1,3}){3}")) {
      throw RametException.invalid("network", "not a loopback address: " + spec.network());
    }
    network.ports().forEach(ReferenceHypervisor::checkPort);
  }

  private static Path place(Attachment disk) {
    if (disk.kind() == Attachment.Kind.VHOST_USER) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "no disks by vhost-user: " + disk, "use another backend", null);
    }
    return disk instanceof Attachment.Socket socket ? socket.socket() : disk.path();
  }

  static void checkPort(int port) {
    if (port < 1 || port > 65_535) {
      throw RametException.invalid("port", "not a port: " + port);
    }
  }
}
