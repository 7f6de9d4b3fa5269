// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PathCallsTest {
  private final Path dir;

  PathCallsTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void renameReplacesNothing() throws Exception {
    Path a = Files.writeString(dir.resolve("a"), "a");
    Path b = Files.writeString(dir.resolve("b"), "b");
    LinuxException e = assertThrows(LinuxException.class, () -> PathCalls.renameToNew(a, b));
    assertEquals(LinuxException.EEXIST, e.errno());
    assertEquals("b", Files.readString(b));
    PathCalls.renameToNew(a, dir.resolve("c"));
    assertEquals("a", Files.readString(dir.resolve("c")));
  }

  @Test
  void removalSaysWhatWasThere() throws Exception {
    Path sub = dir.resolve("sub");
    PathCalls.makeDirectory(sub, 0755);
    assertThrows(LinuxException.class, () -> PathCalls.makeDirectory(sub, 0755));
    Path file = Files.writeString(sub.resolve("file"), "x");
    assertFalse(PathCalls.removeDirectory(sub));
    assertTrue(PathCalls.unlink(file));
    assertFalse(PathCalls.unlink(file));
    assertTrue(PathCalls.removeDirectory(sub));
    assertTrue(PathCalls.removeDirectory(sub));
  }

  @Test
  void fileSystemFacts() throws Exception {
    try (LoopFs fs = LoopFs.tmpfs(dir, 1 << 20)) {
      FsInfo info = FsInfo.of(fs.root());
      assertEquals(FsInfo.TMPFS, info.type());
      assertEquals("tmpfs", info.typeName());
      assertEquals(1 << 20, info.totalBytes());
      assertEquals(fs.root().toFile().getUsableSpace(), info.freeBytes());
      assertFalse(info.readOnly());
      fs.remount("ro");
      assertTrue(FsInfo.of(fs.root()).readOnly());
      try (Fd open = Fd.openDirectory(fs.root())) {
        assertFalse(PathCalls.unmount(fs.root()), "busy: " + open);
      }
      assertTrue(PathCalls.unmount(fs.root()));
    }
    assertEquals("0x9FA0", FsInfo.of(Path.of("/proc")).typeName());
  }

  @Test
  void hostFacts() throws Exception {
    Warmup.warm();
    assertEquals(
        Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip(), Host.kernelRelease());
    assertEquals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"), Host.effectiveUid());
  }
}
