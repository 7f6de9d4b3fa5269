// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.ramet.engine.Progress;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.space.FillableMount;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.templates.ImportTemplate;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * An engine whose machines are memory of this process, and whose guard watches a file system that
 * the test fills.
 */
final class SpaceGround implements AutoCloseable {
  /** So little that the guard holds machines. */
  static final int FULL_MIB = 6;

  /** So little that only the reserve is left. */
  static final int RESERVED_MIB = 14;

  static final int PLENTY_MIB = 60;

  final RemoteEngine engine;
  private final FillableMount mount;

  SpaceGround(Path directory) throws Exception {
    mount = new FillableMount(directory.resolve("mount"));
    engine =
        new RemoteEngine(directory, new FreeSpace(List.of(mount.place()), FillableMount.RESERVE));
    Path disk = Files.write(directory.resolve("rootfs"), new byte[128 << 10]);
    Path kernel = Files.writeString(directory.resolve("kernel"), "kernel");
    engine.templates.importImages(
        new ImportTemplate("small", kernel, disk, null, null, 1, 64L << 20, true), Progress.NONE);
  }

  Sandbox create() {
    return engine.sandboxes.create(NewSandbox.of("small").build());
  }

  /** Leaves this much of the file system free. */
  void leave(int mebibytes) {
    try {
      mount.leave(mebibytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether the guard holds machines. */
  boolean holds() {
    try {
      engine.gate.require("start", false);
      return false;
    } catch (RametException e) {
      return true;
    }
  }

  static void await(BooleanSupplier reached) {
    while (!reached.getAsBoolean()) {
      assertFalse(Thread.interrupted(), "it took too long");
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    engine.hypervisor.booting = () -> {};
    engine.sandboxes.list().forEach(sandbox -> engine.sandboxes.kill(sandbox.id()));
    engine.close();
    mount.close();
  }
}
