// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.WriteLog.Range;
import dev.ramet.spi.storage.WriteLog.Written;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Machines with disks that QEMU itself writes to through its monitor, to test its dirty bitmaps.
 */
public final class DiskBench implements AutoCloseable {
  static final long K = 1024;
  static final long M = 1024 * K;
  static final long G = 1024 * M;

  final Path root;
  final Bench machines;

  DiskBench(Path root) throws IOException {
    this.root = root;
    machines = new Bench(root);
  }

  /** Creates a disk without any data. */
  Attachment disk(String name, long sizeBytes, boolean readOnly) throws IOException {
    Path path = root.resolve(name);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(sizeBytes);
    }
    return new Attachment.LocalFile(path, readOnly);
  }

  private VmSpec spec(String name, Attachment... disks) throws IOException {
    List<Disk> named = new ArrayList<>();
    for (Attachment disk : disks) {
      named.add(new Disk("disk" + named.size(), disk));
    }
    return machines.spec(name).with(named);
  }

  /** Boots a machine with these disks and waits until its guest counts. */
  QemuVm boot(String name, Attachment... disks) throws Exception {
    QemuVm vm = (QemuVm) machines.driver.boot(spec(name, disks), Bench.PATIENCE);
    Bench.awaitBoots(vm, 1);
    return vm;
  }

  /** Restores a machine with these disks. */
  PausedVm restore(String name, SavedVm saved, Attachment... disks) throws IOException {
    return machines.driver.restore(spec(name, disks), saved, Bench.PATIENCE);
  }

  /** Makes a request as the guest's disk driver would. */
  public static void io(RunningVm vm, int disk, String command) {
    String answer =
        ((QemuVm) vm)
            .machine()
            .execute("human-monitor-command", line(disk, command), Deadline.after(Bench.PATIENCE))
            .asText();
    assertTrue(answer.isEmpty(), answer);
  }

  /** Returns the arguments of the monitor command for such a request. */
  static ObjectNode line(int disk, String command) {
    String device = "/machine/peripheral-anon/device[" + disk + "]/virtio-backend";
    return Qmp.JSON
        .createObjectNode()
        .put("command-line", "qemu-io -d " + device + " \"" + command + "\"");
  }

  /** Asserts that an answer starts where another ends and contains exactly these ranges. */
  static void follows(Written before, Written now, Range... ranges) {
    assertEquals(before.until(), now.since());
    assertTrue(now.isAllSince(before.until()));
    assertEquals(List.of(ranges), now.ranges());
  }

  static Range range(long offset, long lengthBytes) {
    return new Range(offset, lengthBytes);
  }

  static JsonNode query(QemuVm vm, String command) {
    return vm.machine().execute(command, Deadline.after(Bench.PATIENCE));
  }

  /** Returns the names of all bitmaps. */
  static Set<String> bitmaps(QemuVm vm) {
    Set<String> names = new TreeSet<>();
    for (JsonNode node : query(vm, "query-named-block-nodes")) {
      node.path("dirty-bitmaps").forEach(b -> names.add(b.path("name").asText()));
    }
    return names;
  }

  /** Leaves a bitmap exported, as an interrupted call does. */
  static void leave(QemuVm vm, Written last) {
    ObjectNode bitmap = Qmp.JSON.createObjectNode();
    bitmap.put("node", "disk0").put("name", "ramet" + last.until());
    ObjectNode export = Qmp.JSON.createObjectNode();
    export.put("type", "nbd").put("id", "left").put("node-name", "disk0");
    export.putArray("bitmaps").add("ramet" + last.until());
    vm.machine().execute("block-dirty-bitmap-disable", bitmap, Deadline.after(Bench.PATIENCE));
    vm.machine().execute("block-export-add", export, Deadline.after(Bench.PATIENCE));
  }

  @Override
  public void close() {
    machines.close();
  }
}
