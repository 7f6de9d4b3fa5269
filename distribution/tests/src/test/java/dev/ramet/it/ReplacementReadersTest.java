// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks that nothing is ever written under a reader of a replaced snapshot. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplacementReadersTest {
  @AutoClose @RegisterExtension private final CapturedMachine machine = CapturedMachine.make();

  private final Ground ground = machine.ground();

  @Test
  void whatTheCaptureDoesNotBuildOnIsNotWrittenTo() throws Exception {
    Snapshot first = machine.snapshot();
    Snapshot second = machine.snapshot();
    String hash = machine.write("file");
    Snapshot made = machine.replacing(first);
    machine.assertRebuilt("does not build on", first, made);
    assertEquals(hash, machine.restored(made, "file"));
    ground.engine().sandboxes().rollback(machine.id(), second.id());
    hash = machine.write("file");
    Snapshot ofItself = machine.replacing(second);
    machine.assertRebuilt("still maps", second, ofItself);
    assertEquals(hash, machine.restored(ofItself, "file"));
    assertEquals(hash, machine.hash(machine.id()), "the machine's memory is its own");
    Sandbox other = ground.create();
    refused(ErrorCode.INVALID_ARGUMENT, () -> machine.replacing(other.id(), made.id()));
    refused(ErrorCode.NOT_FOUND, () -> machine.replacing(machine.id(), "nothing"));
  }

  @Test
  void whatASandboxRestsOnIsNotWrittenTo() throws Exception {
    String before = machine.write("file");
    machine.snapshot();
    Snapshot old = machine.snapshot();
    Sandbox reader = ground.create(old.id());
    String hash = machine.write("file");
    assertNotEquals(before, hash);
    Snapshot made = machine.replacing(old);
    machine.assertRebuilt("sandboxes depend on it: " + reader.id(), old, made);
    assertEquals(before, machine.hash(reader.id()));
    assertEquals(hash, machine.restored(made, "file"));
  }

  @Test
  void whatSomebodyHasOpenIsNotWrittenTo() throws Exception {
    machine.snapshot();
    Snapshot old = machine.snapshot();
    try (FileChannel reader = FileChannel.open(machine.image(old))) {
      byte[] before = all(reader);
      String hash = machine.write("file");
      Snapshot made = machine.replacing(old);
      machine.assertRebuilt("has its memory image open", old, made);
      assertArrayEquals(before, all(reader), "under its reader nothing changes");
      assertEquals(hash, machine.restored(made, "file"));
    }
  }

  private static byte[] all(FileChannel file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
    int read = 1;
    while (bytes.hasRemaining() && read > 0) {
      read = file.read(bytes, bytes.position());
    }
    return bytes.array();
  }

  @Test
  void whatIsBeingRestoredIsNotWrittenTo() throws Exception {
    String before = machine.write("file");
    machine.snapshot();
    Snapshot old = machine.snapshot();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ground
        .steps()
        .doAt(
            "create.machine",
            () -> {
              begun.countDown();
              try {
                assertTrue(goOn.await(1, TimeUnit.MINUTES));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    CompletableFuture<Sandbox> restore =
        CompletableFuture.supplyAsync(() -> ground.create(old.id()));
    assertTrue(begun.await(1, TimeUnit.MINUTES));
    machine.write("file");
    Snapshot made = machine.replacing(old);
    goOn.countDown();
    machine.assertRebuilt("another operation reads it", old, made);
    Sandbox reader = restore.get(1, TimeUnit.MINUTES);
    assertEquals(before, machine.hash(reader.id()));
  }
}
