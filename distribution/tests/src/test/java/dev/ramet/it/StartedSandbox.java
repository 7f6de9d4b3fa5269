// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.sandboxes.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Provides a sandbox on ground small enough to be filled, with a snapshot {@code start} to which it
 * rolls back before each test. Its file {@code /tmp/file} then contains "start".
 */
final class StartedSandbox implements AutoCloseable, BeforeEachCallback {
  static final long POOL_BYTES = 700L << 20;

  private final Ground ground;
  private final Sandbox sandbox;

  private StartedSandbox(Ground ground) throws IOException {
    this.ground = ground;
    this.sandbox = ground.create();
    ground.shell(sandbox.id()).run("echo start > /tmp/file");
    ground.engine().snapshots().create(sandbox.id(), "start");
  }

  static StartedSandbox make() {
    try {
      Ground ground = Ground.make(POOL_BYTES);
      try {
        return new StartedSandbox(ground);
      } catch (IOException | RuntimeException | Error e) {
        ground.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void beforeEach(ExtensionContext test) {
    ground.steps().reset();
    ground.engine().sandboxes().rollback(sandbox.id(), "start");
  }

  @Override
  public void close() throws IOException {
    ground.close();
  }

  Ground ground() {
    return ground;
  }

  String id() {
    return sandbox.id();
  }

  /** Returns the file of a volume. */
  Path volume(String node) throws IOException {
    return Trees.below(ground.root().resolve("volumes")).stream()
        .filter(path -> path.endsWith(node) && Files.isRegularFile(path))
        .findFirst()
        .orElseThrow();
  }
}
