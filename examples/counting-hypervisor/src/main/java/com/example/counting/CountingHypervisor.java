// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Runs machines as separate processes, which outlive this one. Thread-safe. */
final class CountingHypervisor implements Hypervisor {
  /** The log of a machine's process, in the machine's directory. It is kept for people to read. */
  static final String LOG = "vmm.log";

  private static final Duration END = Duration.ofSeconds(30);

  /** Directories in which a machine is being started. */
  private final Set<String> starting = ConcurrentHashMap.newKeySet();

  /** By process id, so that two look-ups of a machine return the same object, with one pause. */
  private final Map<Long, CountingVm> known = new ConcurrentHashMap<>();

  @Override
  public RunningVm boot(VmSpec spec, Duration timeout) {
    Specs.check(spec);
    return start(spec, TrialMachine.EMPTY, TrialMachine.EMPTY, timeout);
  }

  @Override
  public PausedVm restore(VmSpec spec, SavedVm saved, Duration timeout) {
    Specs.check(spec);
    Specs.check(spec, saved);
    return start(spec, saved.memory().path().toString(), saved.devices().toString(), timeout)
        .standsStill();
  }

  private CountingVm start(VmSpec spec, String image, String devices, Duration timeout) {
    String directory = Processes.absolute(spec.directory());
    if (!starting.add(directory)) {
      throw new RametException(ErrorCode.CONFLICT, "a machine is being started in " + directory);
    }
    try {
      if (!Processes.in(spec.directory()).isEmpty()) {
        throw new RametException(ErrorCode.CONFLICT, "a machine runs in " + directory);
      }
      return begin(spec, command(spec, image, devices), timeout);
    } finally {
      starting.remove(directory);
    }
  }

  /** Starts a machine. A start that fails leaves no process, and no file but the log. */
  private CountingVm begin(VmSpec spec, List<String> command, Duration timeout) {
    Path directory = spec.directory();
    tidy(directory);
    ProcessHandle process = run(command, directory);
    boolean up = false;
    try {
      Control control = new Control(spec.name(), directory, process);
      control.await(timeout);
      CountingVm vm = vm(spec, control);
      Specs.network(spec).ports().forEach(vm::endpoint);
      up = true;
      return vm;
    } finally {
      if (!up) {
        Processes.end(process, END);
        tidy(directory);
      }
    }
  }

  private CountingVm vm(VmSpec spec, Control control) {
    CountingVm vm = new CountingVm(spec, control);
    long pid = control.process().pid();
    known.put(pid, vm);
    vm.exit().thenRun(() -> known.remove(pid, vm));
    return vm;
  }

  /**
   * Returns the command line of a machine, which contains its directory: that is how it is found
   * again. A separate session keeps away the signals that end this process.
   */
  private static List<String> command(VmSpec spec, String image, String devices) {
    List<String> words = new ArrayList<>();
    words.add("setsid");
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-Xmx16m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    words.addAll(List.of("-XX:-UsePerfData", "-cp", own().toString()));
    words.add(TrialMachine.class.getName());
    words.add(Processes.absolute(spec.directory()));
    words.add(Long.toString(spec.memoryBytes()));
    words.add(Specs.network(spec).address());
    words.add(image);
    words.add(devices);
    return words;
  }

  /** Returns the jar that contains this class. */
  private static Path own() {
    try {
      return Path.of(
          CountingHypervisor.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ProcessHandle run(List<String> command, Path directory) {
    try {
      return new ProcessBuilder(command)
          .redirectInput(Path.of("/dev/null").toFile())
          .redirectErrorStream(true)
          .redirectOutput(directory.resolve(LOG).toFile())
          .start()
          .toHandle();
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot start a machine: " + e,
          "install " + command.get(0) + " (util-linux) and a whole Java runtime",
          e);
    }
  }

  /** Deletes the files that an ended machine leaves in its directory. */
  static void tidy(Path directory) {
    try {
      Files.deleteIfExists(directory.resolve(TrialMachine.SOCKET));
      Files.deleteIfExists(directory.resolve(TrialMachine.MEMORY));
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot tidy " + directory + ": " + e, e);
    }
  }

  @Override
  public Optional<RunningVm> reattach(VmSpec spec, Duration timeout) {
    for (ProcessHandle process : Processes.in(spec.directory())) {
      Control control = new Control(spec.name(), spec.directory(), process);
      try {
        control.await(timeout);
        CountingVm vm = known.get(process.pid());
        return Optional.of((vm == null ? vm(spec, control) : vm).takeBack());
      } catch (RametException e) {
        if (process.isAlive()) {
          throw e;
        }
        // It ended in the meantime, so there is nothing to find.
      }
    }
    return Optional.empty();
  }

  @Override
  public void reap(Path directory) {
    for (ProcessHandle process : Processes.below(directory)) {
      Processes.end(process, END);
    }
  }

  @Override
  public void close() {
    known.clear();
  }
}
