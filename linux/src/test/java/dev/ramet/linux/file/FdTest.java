// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FdTest {
  private static final long MIB = 1 << 20;

  private final Path dir;

  FdTest(@TempDir Path dir) {
    this.dir = dir;
  }

  private static ByteBuffer direct(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  @Test
  void writesAndReadsAtOffsets() throws Exception {
    Path path = dir.resolve("file");
    try (Fd fd = Fd.createNew(path, 0600)) {
      ByteBuffer text = direct("0123456789");
      text.position(3);
      fd.pwrite(text, 5);
      assertFalse(text.hasRemaining());
      fd.fdatasync();
      ByteBuffer back = ByteBuffer.allocateDirect(100);
      assertEquals(12, fd.pread(back, 0));
      byte[] bytes = new byte[12];
      back.flip().get(bytes);
      assertArrayEquals("\0\0\0\0\0003456789".getBytes(StandardCharsets.UTF_8), bytes);
      assertThrows(IllegalArgumentException.class, () -> fd.pread(ByteBuffer.allocate(1), 0));
    }
    assertEquals("\0\0\0\0\0003456789", Files.readString(path));
    Fd.syncDirectory(dir);
  }

  @Test
  void statAgreesWithTheJdk() throws Exception {
    Path path = dir.resolve("file");
    Files.write(path, new byte[10_000]);
    try (Fd fd = Fd.openRead(path)) {
      fd.fsync();
      FileStat stat = fd.stat();
      assertEquals(10_000, stat.sizeBytes());
      assertEquals(12_288, stat.allocatedBytes());
      assertEquals(Files.getAttribute(path, "unix:ino"), stat.inode());
      assertEquals(Files.getAttribute(path, "unix:mode"), stat.mode());
      int device = ((Long) Files.getAttribute(path, "unix:dev")).intValue();
      assertEquals((device >> 8) & 0xfff, stat.device() >> 32);
      assertEquals((device & 0xff) | ((device >> 12) & 0xfff00), stat.device() & 0xFFFFFFFFL);
      assertTrue(stat.isRegularFile());
      assertFalse(stat.isSticky());
      fd.chmod(01444);
      assertTrue(fd.stat().isSticky());
    }
    assertEquals("r--r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
    try (Fd fd = Fd.openDirectory(dir)) {
      assertFalse(fd.stat().isRegularFile());
    }
  }

  @Test
  void holesAndExtents() throws Exception {
    try (Fd fd = Fd.createNew(dir.resolve("sparse"), 0600)) {
      fd.truncate(10 * MIB);
      assertEquals(-1, fd.seekData(0));
      assertEquals(0, fd.seekHole(0));
      ByteBuffer page = ByteBuffer.allocateDirect(4096);
      for (int i = 0; i < 600; i++) {
        page.clear();
        fd.pwrite(page, i * 8192L);
      }
      List<Extent> extents = new ArrayList<>();
      Fiemap.walk(fd, true, extents::add);
      assertEquals(600, extents.size(), "more than one page of extents");
      assertEquals(8192, extents.get(1).logical());
      assertEquals(4096, extents.get(1).lengthBytes());
      assertFalse(extents.get(1).isShared());
      assertFalse(extents.get(1).isDelayed());
      assertEquals(4096, fd.seekHole(0));
      assertEquals(8192, fd.seekData(4096));
      fd.punchHole(0, 5 * MIB);
      assertEquals(-1, fd.seekData(0));
      fd.allocate(0, MIB);
      List<Extent> reserved = new ArrayList<>();
      Fiemap.walk(fd, false, reserved::add);
      assertTrue(reserved.get(0).isUnwritten());
      assertEquals(10 * MIB, fd.stat().sizeBytes());
      assertEquals(-1, fd.seekHole(11 * MIB));
      PageCache.drop(fd, 0, 0);
    }
  }

  @Test
  void errnoIsThatOfTheCall() {
    LinuxException absent =
        assertThrows(LinuxException.class, () -> Fd.openRead(dir.resolve("absent")));
    assertEquals(LinuxException.ENOENT, absent.errno());
    assertEquals("open", absent.call());
    LinuxException taken = assertThrows(LinuxException.class, () -> Fd.createNew(dir, 0600));
    assertEquals(LinuxException.EEXIST, taken.errno());
  }

  @Test
  void symbolicLinksAreNotFollowed() throws Exception {
    Path link = Files.createSymbolicLink(dir.resolve("link"), Path.of("/etc/passwd"));
    assertThrows(LinuxException.class, () -> Fd.openRead(link));
  }

  @Test
  void aClosedHandleIsRefused() throws Exception {
    Fd fd = Fd.createNew(dir.resolve("f"), 0600);
    fd.close();
    fd.close();
    assertThrows(IllegalStateException.class, fd::stat);
  }

  @Test
  void oneHandleHasTheLock() throws Exception {
    try (Fd waiting = Fd.openDirectory(dir)) {
      try (Fd holder = Fd.openDirectory(dir)) {
        holder.lock();
        assertFalse(waiting.tryLock());
      }
      assertTrue(waiting.tryLock());
    }
  }
}
