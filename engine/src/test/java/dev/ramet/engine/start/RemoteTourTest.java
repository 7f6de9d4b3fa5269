// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.Progress;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.templates.ImportTemplate;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.RemoteImages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Takes sandboxes through create, snapshot, rollback, clone and pause on a storage backend none of
 * whose images has a path on this host.
 */
class RemoteTourTest {
  private static final long MEMORY_BYTES = 64L << 20;
  private static final int DISK_BYTES = 128 << 10;

  /** Places in memory that nobody touches between a restore and the next capture. */
  private static final long[] QUIET = {4096 + 8, 5 << 20, MEMORY_BYTES - 4096};

  private static final long BUSY = 9 << 20;

  @TempDir private Path directory;
  private RemoteEngine engine;

  @BeforeEach
  void open() throws Exception {
    engine = new RemoteEngine(directory);
    byte[] disk = new byte[DISK_BYTES];
    Arrays.fill(disk, (byte) 3);
    Path rootfs = Files.write(directory.resolve("rootfs"), disk);
    Path kernel = Files.writeString(directory.resolve("kernel"), "kernel");
    engine.templates.importImages(
        new ImportTemplate("remote", kernel, rootfs, null, null, 1, MEMORY_BYTES, true),
        Progress.NONE);
  }

  @AfterEach
  void close() {
    engine.sandboxes.list().forEach(sandbox -> engine.sandboxes.kill(sandbox.id()));
    engine.close();
  }

  private Sandbox create(String source) {
    return engine.sandboxes.create(NewSandbox.of(source).build());
  }

  private FaultedVm vm(Sandbox sandbox) {
    return engine.hypervisor.of(sandbox.id());
  }

  /** The guest writes to its disk through the attachment that its machine was given. */
  private void writeDisk(Sandbox sandbox, int value) throws Exception {
    byte[] page = new byte[4096];
    Arrays.fill(page, (byte) value);
    engine.remote.io().write(disk(sandbox), 8192, page);
  }

  private int readDisk(Sandbox sandbox) throws Exception {
    assertEquals(3, engine.remote.io().read(disk(sandbox), 0, 1)[0], "the template's content");
    return engine.remote.io().read(disk(sandbox), 8192, 1)[0];
  }

  private Attachment disk(Sandbox sandbox) {
    Attachment disk = vm(sandbox).spec().disks().get(0).image();
    return assertInstanceOf(Attachment.Socket.class, disk);
  }

  private void forgetAll() throws Exception {
    for (var node : engine.storage.list()) {
      engine.remote.remote().orElseThrow().forget(node.id());
    }
  }

  private void assertQuiet(Sandbox sandbox) {
    for (long at : QUIET) {
      assertEquals(at + 1, vm(sandbox).peek(at), () -> "memory was lost at " + at);
    }
  }

  /** Makes a sandbox with content in memory and on its disk. */
  private Sandbox filled() throws Exception {
    Sandbox sandbox = create("remote");
    for (long at : QUIET) {
      vm(sandbox).poke(at, at + 1);
    }
    vm(sandbox).poke(BUSY, 100);
    writeDisk(sandbox, 10);
    return sandbox;
  }

  @Test
  void rollback() throws Exception {
    Sandbox sandbox = filled();
    Snapshot first = engine.snapshots.create(sandbox.id(), "first");
    vm(sandbox).poke(BUSY, 200);
    writeDisk(sandbox, 20);
    forgetAll();
    engine.sandboxes.rollback(sandbox.id(), first.id());
    assertEquals(MemoryRegion.Kind.FAULTED, vm(sandbox).kind());
    assertEquals(100, vm(sandbox).peek(BUSY));
    assertEquals(10, readDisk(sandbox));
    assertQuiet(sandbox);
  }

  /** Memory that was filled on fault is captured as a whole, the untouched pages too. */
  @Test
  void captureOfMemoryThatWasNotTouched() throws Exception {
    Sandbox sandbox = filled();
    Snapshot first = engine.snapshots.create(sandbox.id(), "first");
    engine.sandboxes.kill(sandbox.id());
    forgetAll();
    Sandbox restored = create(first.id());
    vm(restored).poke(BUSY, 300);
    Snapshot second = engine.snapshots.create(restored.id(), "second");
    engine.sandboxes.kill(restored.id());
    engine.snapshots.delete(first.id(), false);
    forgetAll();
    Sandbox again = create(second.id());
    assertEquals(300, vm(again).peek(BUSY));
    assertEquals(10, readDisk(again));
    assertQuiet(again);
    NodeId memory = Layout.snapshotMemory(second.id());
    long resident = ((RemoteImages) engine.storage).residentBytes(memory);
    assertTrue(resident > 0, "the machine fetched its memory");
  }

  @Test
  void clonesAndPauses() throws Exception {
    Sandbox sandbox = filled();
    List<Sandbox> clones =
        engine.sandboxes.clone(sandbox.id(), new CloneRequest(2, 1, null)).sandboxes();
    Sandbox one = clones.get(0);
    Sandbox other = clones.get(1);
    vm(one).poke(BUSY, 1);
    writeDisk(one, 1);
    vm(other).poke(BUSY, 2);
    writeDisk(other, 2);
    assertEquals(100, vm(sandbox).peek(BUSY));
    assertEquals(10, readDisk(sandbox));
    engine.sandboxes.pause(one.id(), true);
    forgetAll();
    engine.sandboxes.resume(one.id(), null, true);
    for (Sandbox each : List.of(one, other)) {
      int value = each.id().equals(one.id()) ? 1 : 2;
      assertEquals(value, vm(each).peek(BUSY));
      assertEquals(value, readDisk(each));
      assertQuiet(each);
    }
  }

  /** Operations that need a local file fail with an error that names a remedy. */
  @Test
  void whatNeedsALocalPathIsRefused() throws Exception {
    Sandbox sandbox = filled();
    Snapshot first = engine.snapshots.create(sandbox.id(), "first");
    Snapshot second = engine.snapshots.create(sandbox.id(), "second");
    RametException e =
        assertThrows(
            RametException.class, () -> engine.snapshots.diff(first.id(), second.id(), 10));
    assertEquals(ErrorCode.UNSUPPORTED, e.code(), e::getMessage);
    assertNotNull(e.remedy());
  }
}
