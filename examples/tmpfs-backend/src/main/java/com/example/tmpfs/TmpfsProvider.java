// SPDX-License-Identifier: Apache-2.0
package com.example.tmpfs;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;

/** The plugin's entry point: probes whether it works somewhere, and opens it there. */
public final class TmpfsProvider implements StorageBackendProvider {
  /** Written to disk with the data, so it must never change. */
  static final String ID = "tmpfs";

  /** Copies cost time and memory, so sharing is not claimed: the kit would notice. */
  private static final StorageFacts FACTS = StorageFacts.copying(Set.of());

  private static final String REMEDY =
      "mount one for it: mount -t tmpfs -o size=4g,mode=700 tmpfs DIRECTORY";
  private static final int PROBE_BYTES = 3 * Content.PAGE;

  /** Does nothing, as the contract requires: all that can fail happens in the probe. */
  public TmpfsProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public StorageFacts atBest() {
    return FACTS;
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    Path root = where.root();
    try {
      if (!Files.isDirectory(root)) {
        return new ProbeResult.Unusable("no such directory", root + " is not there", REMEDY);
      }
      String type = Files.getFileStore(root).type();
      if (!type.equals("tmpfs")) {
        return new ProbeResult.Unusable("not a tmpfs", root + " is on " + type, REMEDY);
      }
      tryOut(root);
      return new ProbeResult.Usable(
          FACTS,
          Map.of(
              "fileSystem",
              type,
              "freeBytes",
              Long.toString(Files.getFileStore(root).getUsableSpace()),
              ProbeResult.LIMITATION,
              "everything is gone when the host restarts, and every copy takes memory"));
    } catch (IOException e) {
      return new ProbeResult.Unusable(
          "cannot write", root + ": " + e, "let the host's user read and write it");
    } catch (RuntimeException e) {
      return new ProbeResult.Failed(e);
    }
  }

  /** Does the backend's daily work: copies a file with a hole and checks the result. */
  private static void tryOut(Path root) throws IOException {
    Path source = Files.createTempFile(root, ".probe-" + ID, ".source");
    Path copy = Files.createTempFile(root, ".probe-" + ID, ".copy");
    try (FileChannel from = open(source);
        FileChannel to = open(copy)) {
      from.write(ByteBuffer.wrap(new byte[] {1}), PROBE_BYTES - 1L);
      Content.copy(from, to, PROBE_BYTES);
      ByteBuffer last = ByteBuffer.allocate(1);
      to.read(last, PROBE_BYTES - 1L);
      if (last.get(0) != 1 || Content.dataBytes(to, PROBE_BYTES) != Content.PAGE) {
        throw new IllegalStateException("a copy differs from its source in " + root);
      }
    } finally {
      Files.deleteIfExists(source);
      Files.deleteIfExists(copy);
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    return TmpfsBackend.open(where.root(), step -> {});
  }
}
