// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.StopsOnDiskError.DiskStop;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether a disk error has stopped a machine. Thread-safe.
 *
 * <p>The run state {@code io-error} says that QEMU stopped it (qapi/run-state.json). The events
 * {@code STOP} and {@code RESUME} say when to look again. The cause is in {@code BLOCK_IO_ERROR}
 * (qapi/block-core.json). QEMU 10 sends that at most once a second, so it may come late; and one
 * that was sent before this process connected is gone. Until one comes, each disk's {@code
 * io-status} tells: the first error of this disk, which QEMU does not clear when it repeats the
 * request.
 */
public final class DiskStops {
  private final Machine machine;

  /** Whether it stands still for any reason, or may do so because nobody has looked yet. */
  private volatile boolean still = true;

  private volatile @Nullable DiskStop known;

  private final Object lock = new Object();

  /** Counts stops and resumes, so that an answer from before one of them is not kept. */
  private long changes;

  /** The last error that an event has reported. */
  private volatile @Nullable DiskStop last;

  private volatile Runnable listener = () -> {};

  DiskStops(Machine machine) {
    this.machine = machine;
  }

  /** Follows the machine through a new connection. */
  void follow(Qmp monitor) {
    still = true;
    monitor.onEvents(this::on);
  }

  private void on(String event, JsonNode data) {
    synchronized (lock) {
      apply(event, data);
    }
    if (event.equals("STOP")) {
      listener.run();
    }
  }

  private void apply(String event, JsonNode data) {
    if (event.equals("STOP")) {
      still = true;
      changes++;
    } else if (event.equals("BLOCK_IO_ERROR") && data.path("action").asText().equals("stop")) {
      DiskStop error =
          new DiskStop(
              data.path("nospace").asBoolean()
                  ? StopsOnDiskError.Cause.NO_SPACE
                  : StopsOnDiskError.Cause.DISK_ERROR,
              data.path("reason").asText());
      last = error;
      if (known != null) {
        known = error;
      }
    } else if (event.equals("RESUME")) {
      known = null;
      still = false;
      changes++;
    }
  }

  /** Calls {@code listener} whenever the machine stops, for any reason, and once now. */
  public void listen(Runnable next) {
    listener = next;
    next.run();
  }

  /**
   * Returns the error that stopped the machine.
   *
   * @param paused whether somebody has paused it; then QEMU is not asked, which would prolong the
   *     pause
   */
  public Optional<DiskStop> find(boolean paused, Deadline deadline) {
    if (!still || machine.hasEnded()) {
      return Optional.empty();
    }
    DiskStop found = known;
    if (found == null && !paused) {
      long before;
      synchronized (lock) {
        before = changes;
      }
      String status = machine.execute("query-status", deadline).path("status").asText();
      if (status.equals("io-error")) {
        DiskStop told = last;
        found = told == null ? query(deadline) : told;
      }
      synchronized (lock) {
        if (changes == before) {
          known = found;
          still = !status.equals("running");
        }
      }
    }
    return Optional.ofNullable(found);
  }

  private DiskStop query(Deadline deadline) {
    String worst = "failed";
    for (JsonNode disk : machine.execute("query-block", deadline)) {
      String status = disk.path("io-status").asText("ok");
      if (status.equals("failed")) {
        return new DiskStop(StopsOnDiskError.Cause.DISK_ERROR, "a request to a disk failed");
      }
      worst = status.equals("nospace") ? status : worst;
    }
    return worst.equals("nospace")
        ? new DiskStop(StopsOnDiskError.Cause.NO_SPACE, "no space left for a write to a disk")
        : new DiskStop(StopsOnDiskError.Cause.DISK_ERROR, "a request to a disk failed");
  }
}
