// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what the free space of a file system allows. */
final class FreeSpaceTest {
  private static final long MIB = 1 << 20;

  @TempDir private Path root;

  private FreeSpace space(long reserveBytes) {
    return new FreeSpace(
        List.of(new WatchedFileSystem(root, false, false)), new StorageReserve(reserveBytes));
  }

  private static FreeSpace.Room room(long freeBytes) {
    return new FreeSpace.Room(new WatchedFileSystem(Path.of("/"), true, false), freeBytes, 100);
  }

  @Test
  void theReserveIsASixteenthUnlessItIsSet() {
    StorageReserve unset = StorageReserve.from(Settings.NONE);
    assertEquals(64 * MIB, unset.bytes(1024 * MIB, false));
    assertEquals(1024 * MIB, unset.bytes(1L << 40, false));
    StorageReserve set =
        StorageReserve.from(Settings.NONE.with("ramet.storage-reserve", "2000000"));
    assertEquals(2_000_000, set.bytes(1L << 40, false));
    assertEquals(0, new StorageReserve(1L).bytes(1L << 40, true));
    // The backend of devices cuts them off at a sixteenth, at most 64 MiB: guests stop before.
    assertTrue(set.bytes(1L << 40, true) / 2 > 64 * MIB);
    assertTrue(set.bytes(160 * MIB, true) / 2 > 10 * MIB);
  }

  @Test
  void lessIsAllowedTheLessIsFree() {
    assertFalse(room(200).low());
    assertTrue(room(199).low() && !room(199).reserved());
    assertTrue(room(99).reserved() && !room(99).exhausted());
    assertTrue(room(49).exhausted());
    assertTrue(room(120).less(71).exhausted(), "promised bytes count as used");
    assertTrue(room(75).recovered() && !room(74).recovered());
  }

  @Test
  void aReadingLacksTheFileSystemsThatCannotBeRead() {
    WatchedFileSystem gone = new WatchedFileSystem(root.resolve("gone"), true, false);
    WatchedFileSystem there = new WatchedFileSystem(root, false, false);
    FreeSpace both = new FreeSpace(List.of(there, gone), new StorageReserve(MIB));
    assertEquals(List.of(gone), both.unread(both.read()));
  }

  @Test
  void onlyTheReserveIsLeft() {
    space(MIB).require("work");
    assertTrue(space(MIB).plenty());
    FreeSpace full = space(Long.MAX_VALUE / 4);
    assertFalse(full.plenty());
    RametException e = assertThrows(RametException.class, () -> full.require("clone i-1"));
    assertEquals(ErrorCode.NO_SPACE, e.code());
    assertTrue(String.valueOf(e.getMessage()).startsWith("cannot clone i-1: little space"));
    assertTrue(String.valueOf(e.remedy()).contains("ramet.storage-reserve"), e::toString);
    assertThrows(RametException.class, () -> full.requirePlenty("pause i-1"));
  }

  @Test
  void aFileSystemThatIsGoneRefusesNothing() {
    FreeSpace gone =
        new FreeSpace(
            List.of(new WatchedFileSystem(root.resolve("absent"), false, false)),
            new StorageReserve(null));
    gone.require("work");
    assertEquals(List.of(), gone.read());
  }
}
