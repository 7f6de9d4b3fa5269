// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.tck.HostControl;
import dev.ramet.tck.StepControl;
import dev.ramet.tck.StorageHarness;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A backend of files on a real file system of its own, which can be filled and made read-only. */
public final class LoopHarness implements StorageHarness {
  private final LoopFs fs;
  private final StorageBackendProvider provider;
  private final StepControl steps;

  private LoopHarness(LoopFs fs, StorageBackendProvider provider, StepControl steps) {
    this.fs = fs;
    this.provider = provider;
    this.steps = steps;
  }

  /**
   * A harness.
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
    fs.close();
  }
}
