// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A machine in the heap, which notes the calls that change it. Thread-safe. */
class FakeMachine implements RunningVm {
  /** The calls in their order. */
  final List<String> calls = new CopyOnWriteArrayList<>();

  private final String name;
  private final CompletableFuture<VmExit> exit = new CompletableFuture<>();
  private @Nullable Pause pause;

  /** Calls wait for this; null while the machine answers. */
  private volatile @Nullable CountDownLatch silence;

  /** The error of the next resume, or null. */
  volatile @Nullable RuntimeException nextResume;

  FakeMachine(String name) {
    this.name = name;
  }

  /** Makes all calls wait until {@link #answer}. */
  void fallSilent() {
    silence = new CountDownLatch(1);
  }

  void answer() {
    CountDownLatch was = silence;
    silence = null;
    if (was != null) {
      was.countDown();
    }
  }

  final void call(String call) {
    calls.add(call);
    CountDownLatch until = silence;
    try {
      if (until != null) {
        until.await();
      }
    } catch (InterruptedException e) {
      throw new RametException(ErrorCode.CANCELLED, "interrupted", e);
    }
  }

  synchronized boolean isPaused() {
    return pause != null;
  }

  boolean hasEnded() {
    return exit.isDone();
  }

  @Override
  public PausedVm pause() {
    call("pause");
    synchronized (this) {
      if (pause != null) {
        throw new RametException(ErrorCode.CONFLICT, "the machine is paused");
      }
      Pause next = new Pause();
      pause = next;
      return next;
    }
  }

  @Override
  public void kill(Duration timeout) {
    calls.add("kill");
    exit.complete(new VmExit(true, "killed"));
  }

  @Override
  public VmSpec spec() {
    return new VmSpec(
        name,
        Path.of("/nowhere"),
        1,
        1 << 20,
        new Boot(Map.of(), null, ""),
        List.of(),
        new NetworkPlan.User("127.0.0.1", List.of(), false),
        null);
  }

  @Override
  public VmIdentity identity() {
    return new VmIdentity("fake", "1", Map.of());
  }

  @Override
  public long pid() {
    return 1;
  }

  private static RametException unsupported(String what) {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "a fake machine cannot " + what,
        "use a machine of FaultedHypervisor",
        null);
  }

  @Override
  public SavingVm pauseAndSave(Path directory) {
    throw unsupported("be saved");
  }

  @Override
  public GuestMemory memory() {
    throw unsupported("show its memory");
  }

  @Override
  public InetSocketAddress endpoint(int guestPort) {
    throw unsupported("be connected to");
  }

  @Override
  public EgressPoint egress() {
    return new EgressPoint.Process(pid());
  }

  @Override
  public CompletionStage<VmExit> exit() {
    return exit;
  }

  private final class Pause implements PausedVm {
    @Override
    public long pid() {
      return FakeMachine.this.pid();
    }

    @Override
    public EgressPoint egress() {
      return FakeMachine.this.egress();
    }

    @Override
    public void saveDevices(Path directory) {}

    @Override
    public GuestMemory memory() {
      return FakeMachine.this.memory();
    }

    @Override
    public RunningVm resume() {
      call("resume");
      RuntimeException failure = nextResume;
      nextResume = null;
      synchronized (FakeMachine.this) {
        if (pause == this) {
          pause = null;
        }
      }
      if (failure != null) {
        throw failure;
      }
      return FakeMachine.this;
    }

    @Override
    public void kill() {
      FakeMachine.this.kill(Duration.ZERO);
    }

    @Override
    public void close() {
      resume();
    }
  }

  /** A machine that its hypervisor stops when its disk fails. */
  static final class Stopping extends FakeMachine implements StopsOnDiskError {
    private volatile Optional<DiskStop> stop = Optional.empty();
    private volatile Runnable listener = () -> {};

    /** The reason that stops it right after it was let go on, or empty. */
    volatile Optional<DiskStop> next = Optional.empty();

    Stopping(String name) {
      super(name);
    }

    /** Lets its disk stop it, for lack of space. */
    void stop() {
      stop = Optional.of(new DiskStop(Cause.NO_SPACE, "no space left"));
      listener.run();
    }

    @Override
    public Optional<DiskStop> diskStop() {
      call("ask");
      return stop;
    }

    @Override
    public void onDiskStop(Runnable next) {
      listener = next;
      next.run();
    }

    @Override
    public void goOn() {
      call("go on");
      stop = next;
      if (stop.isPresent()) {
        listener.run();
      }
    }
  }
}
