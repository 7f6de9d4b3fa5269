// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.file.Fd;
import dev.ramet.testing.Require;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileTest {
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final long PID = ProcessHandle.current().pid();

  private final Path path;

  MappedFileTest(@TempDir Path directory) throws Exception {
    path = Files.write(directory.resolve("file"), new byte[2 * PAGE]);
  }

  private static ProcMaps.Mapping mapping(NativeBuffer memory) throws LinuxException {
    return ProcMaps.read(PID).stream()
        .filter(mapping -> mapping.start() == memory.address())
        .findFirst()
        .orElseThrow(NoSuchElementException::new);
  }

  private static long inode(Path file) throws LinuxException {
    try (Fd fd = Fd.openRead(file)) {
      return fd.stat().inode();
    }
  }

  @Test
  void aFileThatWasReplacedIsNotTheOneThatIsMapped() throws Exception {
    try (NativeBuffer memory = NativeBuffer.mapPrivate(path, 0, 2L * PAGE)) {
      ProcMaps.Mapping mapping = mapping(memory);
      long inode = inode(path);
      try (Fd file = MappedFile.byPath(mapping)) {
        assertEquals(inode, file.stat().inode());
      }
      Files.move(path, path.resolveSibling("moved"));
      LinuxException gone =
          assertThrows(LinuxException.class, () -> MappedFile.byPath(mapping).close());
      assertEquals(LinuxException.ENOENT, gone.errno());
      Files.write(path, new byte[PAGE]);
      LinuxException other =
          assertThrows(LinuxException.class, () -> MappedFile.byPath(mapping).close());
      assertEquals(Errnos.ESTALE, other.errno());
    }
  }

  @Test
  void aFileThatWasDeletedIsThereAsLongAsItIsMapped() throws Exception {
    Require.root();
    ProcMaps.Mapping mapping;
    try (NativeBuffer memory = NativeBuffer.mapPrivate(path, 0, 2L * PAGE)) {
      long inode = inode(path);
      Files.delete(path);
      Files.write(path, new byte[PAGE]);
      mapping = mapping(memory);
      try (Fd file = MappedFile.open(PID, mapping)) {
        assertEquals(inode, file.stat().inode());
        assertEquals(2L * PAGE, file.sizeBytes());
      }
    }
    LinuxException gone =
        assertThrows(LinuxException.class, () -> MappedFile.open(PID, mapping).close());
    assertEquals(LinuxException.ENOENT, gone.errno());
  }
}
