// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.storage;

import dev.ramet.backends.btrfs.BtrfsProvider;
import dev.ramet.backends.reflinkxfs.ReflinkXfsProvider;
import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Settings;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/**
 * A separate file system and its storage backend. Used by one thread.
 *
 * @param name its name in results
 * @param mountPoint where it is mounted
 * @param provider opens the backend
 */
record Pool(String name, Path mountPoint, StorageBackendProvider provider) {
  static final int PAGE = 4096;
  private static final int CHUNK = 1 << 20;

  static Pool xfs(Settings settings) {
    return new Pool("xfs", settings.work().resolve("xfs"), new ReflinkXfsProvider());
  }

  static Pool btrfs(Settings settings) {
    return new Pool("btrfs", settings.work().resolve("btrfs"), new BtrfsProvider());
  }

  /** Opens a root with this name. */
  StorageBackend open(String name) throws IOException {
    Path root = Files.createDirectories(mountPoint.resolve(name));
    return provider.open(new ProbeContext(root));
  }

  /** Returns the used bytes once all is written and deleted space is free. */
  long settledBytes(Settings settings, Floors floors) throws IOException, InterruptedException {
    floors.run(List.of("sync", "-f", mountPoint.toString()), settings.work());
    return usedBytes();
  }

  /** Returns a directory for a floor's files. */
  Path directory(String name) throws IOException {
    return Files.createDirectories(mountPoint.resolve(name));
  }

  /** Writes this many bytes from the start of a volume, in few extents. */
  static void fill(StorageBackend backend, NodeId id, long bytes) throws IOException {
    fill(backend.attach(id).path(), bytes);
    backend.flush(id);
  }

  /** Writes this many bytes from the start of a file. */
  static void fill(Path file, long bytes) throws IOException {
    byte[] content = new byte[CHUNK];
    new Random(1).nextBytes(content);
    ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK).put(content);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
      for (long at = 0; at < bytes; at += CHUNK) {
        channel.write(buffer.flip(), at);
      }
      channel.force(true);
    }
  }

  /** Overwrites pages drawn at random; returns the number of different ones. */
  static int overwrite(Path file, int pages, Random random) throws IOException {
    return overwritten(file, pages, random).cardinality();
  }

  /** Overwrites pages drawn at random; returns their numbers. */
  static BitSet overwritten(Path file, int pages, Random random) throws IOException {
    byte[] content = new byte[PAGE];
    random.nextBytes(content);
    ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE).put(content);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      int all = (int) (channel.size() / PAGE);
      BitSet drawn = new BitSet(all);
      for (int i = 0; i < pages; i++) {
        int page = random.nextInt(all);
        drawn.set(page);
        channel.write(buffer.flip(), (long) page * PAGE);
      }
      return drawn;
    }
  }

  /** Returns the used bytes of the file system. */
  long usedBytes() {
    try {
      FileStore store = Files.getFileStore(mountPoint);
      return store.getTotalSpace() - store.getUnallocatedSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
