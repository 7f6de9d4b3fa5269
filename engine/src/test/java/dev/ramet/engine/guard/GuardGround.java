// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import dev.ramet.engine.Metric;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxGround;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.spi.hypervisor.RunningVm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The guard's watch of machines, driven turn by turn on a clock that the test sets. */
final class GuardGround {
  final SandboxStore sandboxes;
  final StartGate gate = new StartGate();
  final Registry metrics = new Registry();
  final AtomicInteger wakes = new AtomicInteger();
  final StoppedMachines machines;
  private final AtomicLong nanos = new AtomicLong();

  /**
   * Makes a watch.
   *
   * @param threads run the calls to machines; {@code Runnable::run} where all of them answer
   */
  GuardGround(Path root, Executor threads) {
    sandboxes = new SandboxStore(new Layout(root));
    machines =
        new StoppedMachines(sandboxes, gate, metrics, threads, nanos::get, wakes::incrementAndGet);
  }

  long nanos() {
    return nanos.get();
  }

  /** Lets time pass. */
  void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /** Adds a sandbox that runs, or one whose first machine is being started. */
  LiveSandbox sandbox(String id, @Nullable RunningVm vm) {
    LiveSandbox live = new LiveSandbox(SandboxGround.record(id), vm);
    sandboxes.add(live);
    return live;
  }

  /** Takes one turn in which nothing is stopped. */
  void turn(boolean room) {
    machines.refresh();
    machines.follow(room);
  }

  /** Returns the sum of a counter or gauge. */
  double metric(String name) {
    return metrics.read().stream()
        .filter(metric -> metric.name().equals(name))
        .flatMap(metric -> metric.samples().stream())
        .mapToDouble(Metric.Sample::value)
        .sum();
  }
}
