// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.agent.host.AgentAccess;
import dev.ramet.engine.volumes.VolumeMount;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.RunningVm;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connects the mounts of machines to their volumes. A connection ends with its machine.
 * Thread-safe.
 */
public final class VolumeLinks implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(VolumeLinks.class.getName());
  private static final long RETRY_MILLIS = 100;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final VolumeStore store;
  private final Set<VolumeConnection> links = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Creates the connections to the volumes of a root. */
  public VolumeLinks(VolumeStore store) {
    this.store = store;
  }

  /**
   * A machine and its agent.
   *
   * @param sandboxId the sandbox it belongs to
   * @param agentPort its agent's port
   * @param access its agent's credentials
   */
  public record Machine(String sandboxId, RunningVm vm, int agentPort, AgentAccess access) {
    boolean alive() {
      return !vm.exit().toCompletableFuture().isDone();
    }
  }

  /**
   * Connects a machine to volumes, and returns once it is connected to all.
   *
   * @throws RametException {@code GUEST_UNREACHABLE} if its agent does not answer in time, {@code
   *     UNSUPPORTED} if the guest cannot mount volumes
   */
  public void attach(Machine machine, List<VolumeMount> mounts, Duration timeout) {
    long end = System.nanoTime() + timeout.toNanos();
    List<VolumeConnection> made = new ArrayList<>();
    try {
      for (VolumeMount mount : mounts) {
        VolumeConnection link = link(machine, mount);
        made.add(link);
        connect(link, machine, end);
      }
    } catch (RuntimeException e) {
      for (VolumeConnection link : made) {
        link.close();
        start(link); // finds itself closed, and releases the volume
      }
      throw e;
    }
    made.forEach(this::start);
  }

  /**
   * Reconnects a machine that was found again. Does not wait: the guest waits for the host by
   * itself.
   */
  public void reattach(Machine machine, List<VolumeMount> mounts) {
    for (VolumeMount mount : mounts) {
      try {
        start(link(machine, mount));
      } catch (RametException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "cannot reconnect a volume of " + machine.sandboxId() + "",
            e);
      }
    }
  }

  private VolumeConnection link(Machine machine, VolumeMount mount) {
    String id = String.valueOf(mount.volumeId());
    VolumeConnection link =
        new VolumeConnection(
            machine.sandboxId(),
            () -> machine.vm().endpoint(machine.agentPort()),
            machine.access(),
            id,
            mount.path(),
            store.open(id),
            machine::alive);
    links.add(link);
    var unused = machine.vm().exit().whenComplete((exit, failure) -> link.close());
    return link;
  }

  private static void connect(VolumeConnection link, Machine machine, long end) {
    while (true) {
      try {
        link.connect();
        return;
      } catch (IOException e) {
        if (!machine.alive() || System.nanoTime() - end > 0) {
          throw new RametException(
              ErrorCode.GUEST_UNREACHABLE,
              "the guest's agent does not mount its volume: " + e.getMessage(),
              "look at the guest's console log",
              e);
        }
      }
      try {
        Thread.sleep(RETRY_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RametException(ErrorCode.CANCELLED, "interrupted while mounting a volume", e);
      }
    }
  }

  private void start(VolumeConnection link) {
    Thread thread =
        new Thread(
            () -> {
              try {
                link.run();
              } finally {
                links.remove(link);
              }
            },
            "ramet-volume");
    thread.setDaemon(true);
    if (closed) {
      link.close();
    }
    thread.start();
  }

  /** Closes all connections. Guests wait until a host connects again. */
  @Override
  public void close() {
    closed = true;
    links.forEach(VolumeConnection::close);
    // Wait for the threads, whose open files keep file systems from being unmounted.
    long end = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
    while (!links.isEmpty() && System.nanoTime() - end < 0) {
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
