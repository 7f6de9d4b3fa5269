// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.monitor.QmpException;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.hypervisors.qemu.program.CommandLine;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.WriteLog.Range;
import dev.ramet.spi.storage.WriteLog.Written;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tracks the guest's writes to its disks with QEMU's dirty bitmaps (docs/interop/bitmaps.rst). Each
 * disk has one enabled bitmap. Taking it enables the next one and disables it in one transaction,
 * and reads it through the NBD server. An empty bitmap stays enabled: a single query shows that,
 * and most disks in a pause need no more. Thread-safe: calls run one at a time.
 *
 * <p>QEMU marks a write when it ends, even if it failed, and marks discards and zeros like data
 * (block/io.c, {@code bdrv_co_write_req_finish}), in the bitmap that is enabled at that time.
 *
 * <p>A bitmap's name contains the mark at which it was created. After a failure nothing is assumed:
 * the next call removes all bitmaps of the driver that are not known to be current.
 */
final class DirtyBitmaps {
  private static final AtomicLong LAST_MARK = new AtomicLong();

  private static final String PREFIX = "ramet";

  /** The size of a guest page and of a block of its file system. */
  private static final long GRANULARITY_BYTES = 4096;

  private static final long BITS_MAX = 4 << 20;

  private final Machine machine;
  private final List<Attachment> disks;
  private final ReentrantLock one = new ReentrantLock();

  /** The known state of the disks whose writes were taken. */
  private final Map<Integer, Current> current = new HashMap<>();

  private final Map<String, Long> granularities = new HashMap<>();

  /** Commands that were sent without awaiting their answers. */
  private final List<Qmp.PendingReply> unawaited = new ArrayList<>();

  /** Whether the server listens and QEMU has no bitmaps of the driver except the current ones. */
  private boolean ready;

  /**
   * The start of the next answer's interval.
   *
   * @param mark the mark of the last answer
   * @param bitmap the bitmap enabled at that mark or before; nothing is ever written without one
   */
  private record Current(long mark, String bitmap) {
    static Current madeAt(long mark) {
      return new Current(mark, PREFIX + mark);
    }
  }

  DirtyBitmaps(Machine machine, List<Attachment> disks) {
    this.machine = machine;
    this.disks = disks;
  }

  /**
   * Takes the writes to a disk, see {@link dev.ramet.spi.hypervisor.DiskWriteLog#takeWrites}.
   *
   * @param patience how long it may take
   */
  Written take(int disk, Duration patience) {
    if (disk < 0 || disk >= disks.size()) {
      throw RametException.invalid("disk", "there is no disk " + disk);
    }
    Deadline deadline = Deadline.after(patience);
    lock(deadline);
    try {
      return takeWritten(disk, deadline);
    } finally {
      one.unlock();
    }
  }

  private void lock(Deadline deadline) {
    try {
      if (!one.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
        throw deadline.exceeded("another reading of the write log");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for its turn", e);
    }
  }

  private Written takeWritten(int disk, Deadline deadline) {
    long until = LAST_MARK.incrementAndGet();
    boolean done = false;
    try {
      Current last = current.get(disk);
      Current next = Current.madeAt(until);
      List<Range> ranges = List.of();
      if (!disks.get(disk).readOnly()) {
        if (!noUnawaitedFailure() || !ready) {
          ready = false;
          prepare(deadline);
          ready = true;
        }
        if (last == null) {
          machine.execute("block-dirty-bitmap-add", addArguments(disk, next), deadline);
        } else if (isEmpty(disk, last, deadline)) {
          next = new Current(until, last.bitmap());
        } else {
          ranges = read(disk, last, next, deadline);
        }
      }
      current.put(disk, next);
      done = true;
      return last == null ? Written.unknownUntil(until) : new Written(last.mark(), until, ranges);
    } finally {
      if (!done) {
        current.remove(disk);
        ready = false;
      }
    }
  }

  /** Returns whether no unawaited command is known to have failed. */
  private boolean noUnawaitedFailure() {
    boolean well = unawaited.stream().noneMatch(Qmp.PendingReply::failed);
    unawaited.removeIf(Qmp.PendingReply::isComplete);
    return well;
  }

  private boolean isEmpty(int disk, Current last, Deadline deadline) {
    for (JsonNode node : nodes(deadline)) {
      if (disk(node) == disk) {
        for (JsonNode bitmap : node.path("dirty-bitmaps")) {
          if (bitmap.path("name").asText().equals(last.bitmap())) {
            return bitmap.path("recording").asBoolean() && bitmap.path("count").asLong(-1) == 0;
          }
        }
      }
    }
    return false; // Taking the bitmap will report the error.
  }

  private JsonNode nodes(Deadline deadline) {
    ObjectNode flat = Qmp.JSON.createObjectNode().put("flat", true);
    return machine.execute("query-named-block-nodes", flat, deadline);
  }

  /** Enables the next bitmap and reads the last one. */
  private List<Range> read(int disk, Current last, Current next, Deadline deadline) {
    String past = last.bitmap();
    // Send everything before waiting for anything: QEMU executes its monitor's commands in order.
    Qmp.PendingReply swapped =
        machine.send("transaction", swapArguments(disk, last, next), deadline);
    Qmp.PendingReply exported = machine.send("block-export-add", export(disk, past), deadline);
    List<Range> ranges;
    try (NbdBitmap server =
        NbdBitmap.connect(
            machine.files().socket(VmFiles.NBD_SOCKET, machine.process().pid()),
            machine.process()::alive,
            deadline)) {
      machine.awaitAwake(swapped, deadline);
      machine.awaitAwake(exported, deadline);
      ranges = server.read(node(disk), past);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "QEMU in " + machine.files().directory() + ": cannot read the write log: " + e,
          e);
    }
    // The ranges are already read, so the call succeeds even if these commands cannot be sent.
    try {
      ObjectNode end = Qmp.JSON.createObjectNode().put("id", past).put("mode", "hard");
      unawaited.add(machine.send("block-export-del", end, deadline));
      unawaited.add(machine.send("block-dirty-bitmap-remove", bitmap(disk, past), deadline));
    } catch (RametException e) {
      ready = false;
    }
    return ranges;
  }

  /** Removes leftovers of other processes and of failures, and starts the server. */
  private void prepare(Deadline deadline) {
    // This ends all exports and waits for that. QEMU refuses it when there is no server.
    tryExecute("nbd-server-stop", deadline);
    for (JsonNode node : nodes(deadline)) {
      int disk = disk(node);
      if (disk >= 0) {
        granularities.put(
            node.path("node-name").asText(),
            granularity(node.path("image").path("virtual-size").asLong()));
        Current kept = current.get(disk);
        for (JsonNode bitmap : node.path("dirty-bitmaps")) {
          String name = bitmap.path("name").asText();
          if (name.startsWith(PREFIX) && (kept == null || !name.equals(kept.bitmap()))) {
            machine.execute("block-dirty-bitmap-remove", bitmap(disk, name), deadline);
          }
        }
      }
    }
    ObjectNode listen = Qmp.JSON.createObjectNode();
    // Relative, like the monitor's.
    listen.putObject("addr").put("type", "unix").putObject("data").put("path", VmFiles.NBD_SOCKET);
    machine.execute("nbd-server-start", listen, deadline);
  }

  private void tryExecute(String command, Deadline deadline) {
    Qmp.PendingReply answer = machine.send(command, Qmp.JSON.createObjectNode(), deadline);
    try {
      answer.await(deadline);
    } catch (QmpException e) {
      if (e.kind() != QmpException.Kind.REFUSED) {
        throw Machine.failure(machine.files(), e);
      }
    }
  }

  /** Returns the index of the node's disk, or -1 if it does not belong to a disk. */
  private int disk(JsonNode node) {
    String name = node.path("node-name").asText();
    for (int i = 0; i < disks.size(); i++) {
      if (name.equals(node(i))) {
        return i;
      }
    }
    return -1;
  }

  private static String node(int disk) {
    return CommandLine.node(disk);
  }

  /** Returns the smallest granularity, in bytes, that keeps a bitmap within the limit of bits. */
  static long granularity(long sizeBytes) {
    long granularity = GRANULARITY_BYTES;
    while (sizeBytes / granularity > BITS_MAX) {
      granularity *= 2;
    }
    return granularity;
  }

  private static ObjectNode bitmap(int disk, String name) {
    return Qmp.JSON.createObjectNode().put("node", node(disk)).put("name", name);
  }

  private ObjectNode addArguments(int disk, Current made) {
    long granularity = granularities.getOrDefault(node(disk), GRANULARITY_BYTES);
    return bitmap(disk, made.bitmap()).put("granularity", granularity);
  }

  private ObjectNode swapArguments(int disk, Current last, Current next) {
    ObjectNode arguments = Qmp.JSON.createObjectNode();
    ArrayNode actions = arguments.putArray("actions");
    actions
        .addObject()
        .put("type", "block-dirty-bitmap-disable")
        .set("data", bitmap(disk, last.bitmap()));
    actions.addObject().put("type", "block-dirty-bitmap-add").set("data", addArguments(disk, next));
    return arguments;
  }

  /** Returns arguments for an export. By default it is read-only and has the name of its node. */
  private static ObjectNode export(int disk, String bitmap) {
    ObjectNode arguments =
        Qmp.JSON
            .createObjectNode()
            .put("type", "nbd")
            .put("id", bitmap)
            .put("node-name", node(disk));
    arguments.putArray("bitmaps").add(bitmap);
    return arguments;
  }
}
