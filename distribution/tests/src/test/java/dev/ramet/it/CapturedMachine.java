// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Provides a fresh machine for each test, whose snapshots replace older ones. Memory images are in
 * a separate root where a copy copies every byte, and every capture is compared with all of the
 * machine's memory. Checks after each test that nothing is left and the storage is consistent.
 */
final class CapturedMachine implements AutoCloseable, BeforeEachCallback, AfterEachCallback {
  private final Path memory;
  private final Ground ground;
  private String way = "IN_PLACE";
  private String id = "";

  private CapturedMachine() throws IOException {
    memory = Files.createTempDirectory("ramet-it-memory-");
    ground =
        Ground.make(
            Files.createTempDirectory("ramet-it-"),
            0,
            config ->
                config
                    .with("ramet.storage-backend", "byte-copy")
                    .with("ramet.storage-memory-root", memory.toString())
                    .with("ramet.storage-memory-backend", "byte-copy")
                    .with("ramet.memory-volumes", way));
  }

  /** Makes the ground; skips the test if the kernel cannot track writes. */
  static CapturedMachine make() {
    try {
      CapturedMachine made = new CapturedMachine();
      try {
        made.ground.requireTracking();
        return made;
      } catch (RuntimeException | Error e) {
        made.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void beforeEach(ExtensionContext test) {
    id = ground.create().id();
  }

  @Override
  public void afterEach(ExtensionContext test) {
    ground.clear();
    ground.assertWell();
  }

  @Override
  public void close() throws IOException {
    ground.close();
    Trees.delete(memory);
  }

  Ground ground() {
    return ground;
  }

  String id() {
    return id;
  }

  GuestShell shell() {
    return ground.shell(id);
  }

  /** Reopens the data root with another setting for the volumes of replaced snapshots. */
  void reopen(String other) {
    ground.closeEngine();
    way = other;
    ground.openEngine();
  }

  Snapshot snapshot() {
    return ground.engine().snapshots().create(id, null);
  }

  Snapshot replacing(Snapshot old) {
    return replacing(id, old.id());
  }

  Snapshot replacing(String sandboxId, String old) {
    return ground.engine().snapshots().create(NewSnapshot.named(sandboxId, null).replacing(old));
  }

  /** Writes random bytes to the guest's memory and returns their hash. */
  String write(String name) throws IOException {
    return shell()
        .run("head -c 1000000 /dev/urandom > /tmp/" + name + "; sha256sum < /tmp/" + name);
  }

  /** Returns the hash of the file {@code file} in a machine. */
  String hash(String sandboxId) throws IOException {
    return hash(sandboxId, "file");
  }

  private String hash(String sandboxId, String name) throws IOException {
    return ground.shell(sandboxId).run("sha256sum < /tmp/" + name);
  }

  /** Returns the hash of a file in a machine restored from a snapshot. */
  String restored(Snapshot snapshot, String name) throws IOException {
    Sandbox back = ground.create(snapshot.id());
    try {
      return hash(back.id(), name);
    } finally {
      ground.engine().sandboxes().kill(back.id());
    }
  }

  Path image(Snapshot snapshot) throws IOException {
    Path name = Path.of(snapshot.id() + ".memory");
    return images().stream()
        .filter(path -> name.equals(path.getFileName()))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the paths of all memory images. */
  List<Path> images() throws IOException {
    return Trees.below(memory.resolve("volumes")).stream()
        .filter(path -> path.toString().endsWith(".memory") && Files.isRegularFile(path))
        .toList();
  }

  static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
  }

  static CaptureReport.Replaced replaced(Snapshot snapshot) {
    return Objects.requireNonNull(report(snapshot).replaced());
  }

  void assertGone(Snapshot old) {
    RametException gone =
        assertThrows(RametException.class, () -> ground.engine().snapshots().get(old.id()));
    assertEquals(ErrorCode.NOT_FOUND, gone.code());
  }

  /**
   * Checks that the new snapshot replaced the old one with a new volume, and for the given reason.
   */
  void assertRebuilt(String reason, Snapshot old, Snapshot made) {
    assertFalse(replaced(made).inPlace());
    assertTrue(replaced(made).reason().contains(reason), replaced(made).toString());
    assertGone(old);
  }
}
