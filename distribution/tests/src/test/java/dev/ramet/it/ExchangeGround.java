// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.ramet.engine.Storage;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.spi.storage.image.CopyProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Ground with a machine whose snapshot {@code start} was exported into a directory of exports. No
 * step stays broken after a test. Closing it fails if anything else is left in that directory.
 */
final class ExchangeGround implements AutoCloseable, AfterEachCallback {
  /**
   * Makes a machine of the snapshot print its state from disk, from files in memory and from a
   * process.
   */
  static final String TELL = "cat /root/file /tmp/file; echo tell > /tmp/ask; cat /tmp/answer";

  /** The expected output of {@link #TELL}. */
  static final String TOLD = "disk\nmemory\nsecret";

  // A process that prints a variable when asked through a pipe.
  private static final String KEEPER =
      "mkfifo /tmp/ask /tmp/answer; setsid sh -c 'v=secret; "
          + "while read q < /tmp/ask; do echo $v > /tmp/answer; done' >/dev/null 2>&1 &";

  private final Ground ground;
  private final Path place;
  private final Path exported;
  private final String sandboxId;

  private ExchangeGround(Ground ground) throws IOException {
    this.ground = ground;
    place = Files.createTempDirectory("ramet-it-exchange-");
    exported = place.resolve("start");
    Sandbox sandbox = ground.create();
    sandboxId = sandbox.id();
    GuestShell shell = ground.shell(sandboxId);
    shell.run("echo disk > /root/file && sync && echo memory > /tmp/file; " + KEEPER);
    assertEquals(TOLD, shell.run(TELL));
    ground.engine().snapshots().create(sandboxId, "start");
    Storage.Exchanged done = export("start", exported);
    assertEquals(exported, done.directory());
    assertFalse(done.template());
  }

  static ExchangeGround make() {
    try {
      return Ground.make().under(ExchangeGround::new);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void afterEach(ExtensionContext test) {
    ground.steps().reset();
  }

  Ground ground() {
    return ground;
  }

  /** Returns the directory of the exports. */
  Path place() {
    return place;
  }

  /** Returns the export of {@code start}. */
  Path exported() {
    return exported;
  }

  /** Returns the captured machine's sandbox, which is still running. */
  String sandboxId() {
    return sandboxId;
  }

  Storage.Exchanged export(String name, Path directory) {
    return ground.engine().storage().exportTo(name, directory, CopyProgress.NONE);
  }

  /** Imports the export of {@code start} under a name. */
  Storage.Exchanged load(String name) {
    return ground.engine().storage().importFrom(exported, name, CopyProgress.NONE);
  }

  @Override
  public void close() throws IOException {
    ground.close();
    assertEquals(List.of("start"), Trees.names(place), "nothing is left of what failed");
    Trees.delete(place);
  }
}
