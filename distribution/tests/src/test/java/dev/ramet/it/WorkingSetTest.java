// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Tests working sets, the pages that a restored machine uses at once: they are recorded after the
 * first restore of a snapshot, and are in the page cache before the machine of a later restore
 * starts.
 */
final class WorkingSetTest extends WorkingSetGround {
  private Path image(String snapshotId) throws IOException {
    Path name = Path.of(snapshotId + ".memory");
    return Trees.below(ground.root().resolve("volumes")).stream()
        .filter(path -> name.equals(path.getFileName()) && Files.isRegularFile(path))
        .findFirst()
        .orElseThrow();
  }

  private static String output(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    try {
      assertEquals(0, process.waitFor(), String.join(" ", command));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return text.strip();
  }

  private static long cachedBytes(Path image) throws IOException {
    String text = output("fincore", "--bytes", "--noheadings", "--output", "RES", image.toString());
    return Long.parseLong(text);
  }

  /** Drops only this file's pages; no process may have it mapped. */
  private static void dropFromCache(Path image) throws IOException {
    output("sync", image.toString());
    output("dd", "if=" + image, "iflag=nocache", "count=0", "status=none");
    assertEquals(0, cachedBytes(image), "the cache is cold");
  }

  @Test
  void theFirstRestoreRecordsAndALaterOneFindsThePagesInTheCache() throws Exception {
    Snapshot snapshot = snapshot();
    long recorded = record(snapshot);
    assertTrue(recorded > 1 << 20, "a kernel and an agent: " + recorded);
    assertTrue(recorded <= snapshot.memoryBytes() / 4, "bounded: " + recorded);
    Path image = image(snapshot.id());
    dropFromCache(image);
    double prefetched = bytes("prefetched");
    AtomicLong cachedBeforeStart = new AtomicLong();
    // The hypervisor is not started yet, so nobody else can have read anything.
    ground
        .steps()
        .doAt(
            "create.machine",
            () ->
                await(
                    "prefetched",
                    () -> {
                      try {
                        cachedBeforeStart.set(cachedBytes(image));
                      } catch (IOException e) {
                        throw new AssertionError(e);
                      }
                      return cachedBeforeStart.get() >= recorded;
                    }));
    Sandbox second = ground.create(snapshot.id());
    ground.steps().reset();
    assertTrue(cachedBeforeStart.get() < snapshot.memoryBytes() / 2, "and not all of the image");
    await("counted", () -> bytes("prefetched") > prefetched);
    assertEquals(recorded, (long) (bytes("prefetched") - prefetched));
    assertEquals("3000000", ground.shell(second.id()).run("wc -c < /tmp/file"));
    assertNothingFound();

    // Everything is cached by now: nothing is read again.
    double cached = outcomes("cached");
    ground.create(snapshot.id());
    await("seen to be cached", () -> outcomes("cached") > cached);
    assertEquals(recorded, (long) (bytes("prefetched") - prefetched));

    killAll();
    ground.engine().snapshots().delete(snapshot.id(), false);
    Path gone = file(snapshot.id()).getParent();
    await("deleted with the snapshot", () -> !Files.exists(gone));
  }

  @Test
  void rollbacksAndTemplatesHaveTheirsToo() throws Exception {
    Sandbox sandbox = ground.create();
    String template = ground.engine().templates().list().stream().findFirst().orElseThrow().id();
    await("of the template", () -> Files.exists(file(template)));
    Snapshot snapshot = ground.engine().snapshots().create(sandbox.id(), null);
    assertTrue(
        Files.isSameFile(file(template), file(snapshot.id())), "inherited until it has its own");
    double recorded = outcomes("recorded");
    ground.engine().sandboxes().rollback(sandbox.id(), snapshot.id());
    await("of the snapshot", () -> outcomes("recorded") > recorded);
    assertFalse(Files.isSameFile(file(template), file(snapshot.id())));

    double prefetches = outcomes("prefetched") + outcomes("cached");
    ground.engine().sandboxes().clone(sandbox.id(), new CloneRequest(2, 2, null));
    await(
        "clones make use of what the sandbox's snapshot knows",
        () -> outcomes("prefetched") + outcomes("cached") > prefetches);
    ground.engine().sandboxes().pause(sandbox.id(), true);
    double beforeResume = outcomes("prefetched") + outcomes("cached");
    ground.engine().sandboxes().resume(sandbox.id(), null, true);
    await(
        "and so does a sandbox that was paused",
        () -> outcomes("prefetched") + outcomes("cached") > beforeResume);
    assertEquals(recorded + 1, outcomes("recorded"), "nobody comes again for those");
    assertNothingFound();
  }

  @Test
  void offMeansOff() throws Exception {
    Snapshot known = snapshot();
    record(known);
    Snapshot unknown = snapshot();
    reopen("OFF", SOON);
    Path image = image(known.id());
    dropFromCache(image);
    byte[] before = Files.readAllBytes(file(known.id()));
    AtomicLong cachedBeforeStart = new AtomicLong(-1);
    ground
        .steps()
        .doAt(
            "create.machine",
            () -> {
              try {
                Thread.sleep(500);
                cachedBeforeStart.compareAndSet(-1, cachedBytes(image));
              } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    ground.create(known.id());
    ground.steps().reset();
    assertEquals(0, cachedBeforeStart.get());
    ground.create(unknown.id());
    Thread.sleep(SOON.toMillis() + 1000);
    assertFalse(Files.exists(file(unknown.id())));
    assertEquals(List.of(), samples(), "nothing is counted");
    assertEquals(java.nio.ByteBuffer.wrap(before), read(known));
  }
}
