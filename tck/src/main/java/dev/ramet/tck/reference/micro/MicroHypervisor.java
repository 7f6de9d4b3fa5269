// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A hypervisor whose machines behave like those of Firecracker, except that they run no kernel. It
 * opens no network device: its guests send nothing. Thread-safe.
 */
class MicroHypervisor implements Hypervisor {
  private static final Duration END = Duration.ofSeconds(30);
  private static final String NONE = "-";

  private final Set<Path> starting = ConcurrentHashMap.newKeySet();
  private final Map<Long, MicroVm> known = new ConcurrentHashMap<>();

  /** Creates the machine of a process. */
  MicroVm vm(VmSpec spec, MicroProcess process) {
    return new MicroVm(spec, process);
  }

  @Override
  public RunningVm boot(VmSpec spec, Duration timeout) {
    MicroSpecs.check(spec);
    return start(spec, NONE, NONE, timeout);
  }

  @Override
  public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
    MicroSpecs.check(spec);
    MicroSpecs.checkIdentity(saved.identity(), MicroSpecs.identity(spec));
    checkState(spec, saved);
    return start(
            spec,
            saved.memory().path().toAbsolutePath().toString(),
            saved.devices().resolve(MicroSpecs.STATE).toAbsolutePath().toString(),
            timeout)
        .standStill();
  }

  /** Refuses a saved state that does not fit. */
  void checkState(VmSpec spec, SavedVm saved) {
    MicroSpecs.checkState(spec, saved);
  }

  private MicroVm start(VmSpec spec, String image, String state, Duration timeout) {
    Path directory = real(spec.directory());
    if (!starting.add(directory)) {
      throw new RametException(ErrorCode.CONFLICT, "a machine is being started in " + directory);
    }
    try {
      if (!MicroProcess.all(directory::equals).isEmpty()) {
        throw new RametException(ErrorCode.CONFLICT, "a machine runs in " + directory);
      }
      List<String> command = new ArrayList<>();
      command.add(MicroProgram.path().toString());
      command.add(directory.toString());
      command.add(Long.toString(spec.memoryBytes()));
      command.add(image);
      command.add(state);
      spec.disks().stream().map(Disk::name).forEach(command::add);
      return keep(vm(spec, MicroProcess.start(command, directory, timeout)));
    } finally {
      starting.remove(directory);
    }
  }

  private MicroVm keep(MicroVm vm) {
    known.put(vm.pid(), vm);
    var unused = vm.exit().thenRun(() -> known.remove(vm.pid(), vm));
    return vm;
  }

  @Override
  public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
    Path directory = real(spec.directory());
    for (MicroProcess process : MicroProcess.all(directory::equals)) {
      MicroVm before = known.get(process.pid());
      try {
        return Optional.of((before == null ? keep(vm(spec, process)) : before).takeBack());
      } catch (RametException e) {
        if (process.handle().isAlive()) {
          throw e;
        }
      }
    }
    return Optional.empty();
  }

  @Override
  public void reap(Path directory) {
    Path top = real(directory);
    MicroProcess.all(one -> one.startsWith(top)).forEach(process -> process.end(END));
  }

  @Override
  public void close() {
    known.clear();
  }

  private static Path real(Path directory) {
    try {
      return directory.toRealPath();
    } catch (IOException e) {
      return directory.toAbsolutePath().normalize(); // gone; its processes may remain
    }
  }
}
