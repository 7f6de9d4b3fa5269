// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.tck.storage.HostControl;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.StorageHarness;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/** A backend of files on a separate real file system, which can be filled and made read-only. */
public final class LoopHarness implements StorageHarness {
  private static final int PAGE = 4096;

  private final LoopFs fs;
  private final StorageBackendProvider provider;
  private final StepControl steps;
  private boolean mapped;

  private LoopHarness(LoopFs fs, StorageBackendProvider provider, StepControl steps) {
    this.fs = fs;
    this.provider = provider;
    this.steps = steps;
  }

  /**
   * Returns a harness.
   *
   * @param fs is closed with it
   * @param steps opens it step by step in the file system's root
   */
  public static LoopHarness of(LoopFs fs, StorageBackendProvider provider, StepControl steps) {
    return new LoopHarness(fs, provider, steps);
  }

  @Override
  public StorageBackendProvider provider() {
    return provider;
  }

  @Override
  public Path root() {
    return fs.root();
  }

  /**
   * {@inheritDoc} The first store to a page of a mapping changes the file's times; a later one does
   * not, as long as nobody writes the page back.
   */
  @Override
  public UnderWay begin(Attachment node, long offset, byte[] bytes) throws IOException {
    MappedByteBuffer pages;
    try (FileChannel channel = FileChannel.open(node.path(), READ, WRITE)) {
      pages = channel.map(FileChannel.MapMode.READ_WRITE, offset, bytes.length);
    }
    mapped = true;
    for (int at = 0; at < bytes.length; at += PAGE) {
      pages.put(at, pages.get(at));
    }
    return () -> pages.put(0, bytes);
  }

  @Override
  public Optional<HostControl> host() {
    return Optional.of(
        new HostControl() {
          @Override
          public void fill(long keepBytes) throws IOException {
            fs.fill(keepBytes);
          }

          @Override
          public void unfill() throws IOException {
            fs.unfill();
          }

          @Override
          public void readOnly(boolean on) {
            fs.remount(on ? "ro" : "rw");
          }
        });
  }

  @Override
  public Optional<StepControl> steps() {
    return Optional.of(steps);
  }

  @Override
  public void close() {
    if (mapped) {
      System.gc(); // Nothing else unmaps what Java has mapped, and it keeps the file system busy.
    }
    fs.close();
  }
}
