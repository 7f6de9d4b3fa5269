// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.spi.memory.PageRanges;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ground for tests of trackers: a mode whose trackers record what is called. */
abstract class TrackingLifeGround {
  static final String TRACKS = "write-tracking";
  static final GuestMemory MEMORY = new GuestMemory(1, 0, List.of());

  final TrackerSlot tracking = new TrackerSlot();
  final Mode mode = new Mode(Baseline.PREVIOUS_CAPTURE);
  final RunningVm vm = machine();

  /** A memory mode that counts its open trackers. */
  static final class Mode implements MemoryMode {
    Baseline baselineAfter;
    final List<Tracker> attached = new ArrayList<>();
    int open;
    @Nullable RametException failure;
    @Nullable RametException baselineFailure;

    Mode(Baseline baselineAfter) {
      this.baselineAfter = baselineAfter;
    }

    @Override
    public MemoryTracker attach(GuestMemory memory) {
      Tracker tracker = new Tracker();
      attached.add(tracker);
      open++;
      return tracker;
    }

    @Override
    public void close() {}

    final class Tracker implements MemoryTracker {
      private Baseline baseline = Baseline.RESTORE_IMAGE;

      @Override
      public Baseline baseline() {
        if (baselineFailure != null) {
          throw baselineFailure;
        }
        return baseline;
      }

      @Override
      public PageRanges select(GuestMemory memory) {
        if (failure != null) {
          throw failure;
        }
        return new PageRanges.Builder().build();
      }

      @Override
      public void committed() {
        baseline = baselineAfter;
      }

      @Override
      public void close() {
        open--;
      }
    }
  }

  static OpenMode tracks(MemoryMode mode) {
    return new OpenMode(TRACKS, MemoryFacts.of(MemoryFeature.SINCE_CAPTURE), mode);
  }

  static RunningVm machine() {
    return (RunningVm)
        Proxy.newProxyInstance(
            RunningVm.class.getClassLoader(),
            new Class<?>[] {RunningVm.class},
            (proxy, method, arguments) -> method.getName().equals("memory") ? MEMORY : null);
  }

  void capture(String snapshot) {
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(mode), vm)) {
      use.select(MEMORY);
      use.committed();
      use.published(snapshot);
    }
  }

  /** Returns the gap of a new tracker of the machine; null when it has none or is not new. */
  @Nullable TrackingGap gap(Mode of) {
    try (TrackerSlot.Use use = tracking.takeForCapture(tracks(of), vm)) {
      return use.trackingGap();
    }
  }
}
