// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import static dev.ramet.hypervisors.qemu.vm.DiskBench.M;
import static dev.ramet.hypervisors.qemu.vm.DiskBench.io;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.WriteLog.Written;
import dev.ramet.tck.reference.remote.RemoteHarness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests machines whose disks are behind an NBD server. */
class NbdDiskTest {
  private static final NodeId DISK = NodeId.of("disk");
  private static final NodeId SAVED = NodeId.of("saved");
  private static final NodeId FORK = NodeId.of("fork");

  private final DiskBench bench;
  private final RemoteHarness remote;
  private final StorageBackend storage;

  NbdDiskTest(@TempDir Path root) throws IOException {
    bench = new DiskBench(root);
    remote = new RemoteHarness(Files.createDirectory(root.resolve("storage"))).start();
    storage = remote.provider().open(new ProbeContext(remote.root()));
  }

  @AfterEach
  void close() {
    bench.close();
    storage.close();
    remote.close();
  }

  private void assertPage(int value, NodeId id, long offset) throws IOException {
    byte[] expected = new byte[4096];
    Arrays.fill(expected, (byte) value);
    assertArrayEquals(expected, remote.io().read(storage.attach(id), offset, expected.length));
  }

  @Test
  void theGuestsWritesReachTheServerAndAForkGoesOn() throws Exception {
    storage.create(DISK, 8 * M);
    QemuVm vm = bench.boot("vm", storage.attach(DISK));
    Written before = vm.takeWrites(0);
    io(vm, 0, "write -P 0x5a 64k 4k");
    DiskBench.follows(before, vm.takeWrites(0), DiskBench.range(64 << 10, 4 << 10));
    SavedVm saved = bench.machines.save(vm, "saved");
    assertPage(0x5a, DISK, 64 << 10);
    storage.snapshot(DISK, SAVED, Durability.DURABLE);
    io(vm, 0, "write -P 0x11 64k 4k");
    storage.fork(SAVED, FORK, Durability.DURABLE);
    remote.remote().orElseThrow().forget(FORK);
    try (PausedVm paused = bench.restore("clone", saved, storage.attach(FORK))) {
      RunningVm clone = paused.resume();
      Bench.awaitCounting(clone);
      io(clone, 0, "read -P 0x5a 64k 4k");
      io(clone, 0, "write -P 0x77 128k 4k");
      clone.pause().close();
      assertPage(0x77, FORK, 128 << 10);
    }
    assertPage(0x11, DISK, 64 << 10);
    assertPage(0, DISK, 128 << 10);
    assertPage(0x5a, SAVED, 64 << 10);
  }

  @Test
  void faultHandlersAndVhostUserAreRefused() throws Exception {
    storage.create(DISK, 8 * M);
    QemuVm vm = bench.boot("vm", storage.attach(DISK));
    SavedVm saved = bench.machines.save(vm, "saved");
    SavedVm faulted =
        new SavedVm(
            saved.devices(),
            new MemorySource.FaultHandler(bench.root.resolve("handler")),
            saved.identity());
    RametException e =
        assertThrows(
            RametException.class, () -> bench.restore("clone", faulted, storage.attach(DISK)));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
    assertNotNull(e.remedy());
    Attachment other =
        new Attachment.Socket(remote.nbdSocket(), Attachment.Protocol.VHOST_USER, "", false);
    e = assertThrows(RametException.class, () -> bench.restore("other", saved, other));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
    assertNotNull(e.remedy());
  }
}
