// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.storage.Attachment;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an image which anybody reads is never written, whatever the caller believes. */
class ImageInUseTest {
  private final StagingPool pool = new StagingPool(1 << 20);
  private final PageWriter writer = new PageWriter(pool, 1 << 20);
  private final byte[] content = new byte[4 * Machine.PAGE];
  private final Path image;

  ImageInUseTest(@TempDir Path directory) {
    image = directory.resolve("image");
  }

  @BeforeEach
  void write() throws Exception {
    new Random(2).nextBytes(content);
    Files.write(image, content);
  }

  @AfterEach
  void close() {
    assertEquals(0, pool.usedBytes());
    pool.close();
  }

  private void open() {
    Attachment attachment = new Attachment.LocalFile(image, false);
    writer.open(attachment, Baseline.RESTORE_IMAGE).close();
  }

  private void assertRefused() throws Exception {
    RametException e = assertThrows(RametException.class, this::open);
    assertEquals(ErrorCode.CONFLICT, e.code());
    assertTrue(String.valueOf(e.getMessage()).contains("in use"), e.toString());
    assertArrayEquals(content, Files.readAllBytes(image));
    // A refusal must not leave an open handle that would cause the next refusal.
    assertThrows(RametException.class, this::open);
  }

  @Test
  void mappedAsAMachineHasIt() throws Exception {
    try (NativeBuffer mapped = NativeBuffer.mapPrivate(image, 0, content.length)) {
      assertEquals(content[0], mapped.view(0, 1).get(0));
      assertRefused();
    }
    open();
  }

  @Test
  void openForReading() throws Exception {
    try (InputStream reader = Files.newInputStream(image)) {
      assertEquals(content[0], (byte) reader.read());
      assertRefused();
    }
    open();
  }

  @Test
  void openForWriting() throws Exception {
    try (OutputStream other = Files.newOutputStream(image, StandardOpenOption.APPEND)) {
      assertRefused();
      other.flush();
    }
    open();
  }

  @Test
  void openInAnotherProcess() throws Exception {
    Process other =
        new ProcessBuilder("sh", "-c", "exec < \"$1\"; echo; exec sleep 60", "sh", image.toString())
            .start();
    try {
      assertEquals('\n', other.getInputStream().read());
      assertRefused();
    } finally {
      other.descendants().forEach(ProcessHandle::destroyForcibly);
      other.destroyForcibly().waitFor();
    }
  }
}
