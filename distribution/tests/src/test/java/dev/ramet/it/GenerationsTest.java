// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneReport;
import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Takes snapshots of snapshots. Each generation writes pages with a mark and a number to memory and
 * to disk; their hash as computed in the guest must equal the hash of the pages found in the
 * snapshot's images from outside.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GenerationsTest {
  private static final int PAGE = 4096;
  private static final int GENERATIONS = 5;
  private static final int PAGES = 200;

  private Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
  }

  @AfterAll
  void clear() throws Exception {
    ground.close();
  }

  @Test
  void fiveGenerationsHoldWhatTheGuestWrote() throws Exception {
    Sandbox sandbox = ground.create();
    String id = sandbox.id();
    for (int generation = 1; generation <= GENERATIONS; generation++) {
      GuestShell shell = ground.shell(id);
      String memoryMark = "RAMET-MEM-" + generation + "-";
      String diskMark = "RAMET-DSK-" + generation + "-";
      String memoryHash = write(shell, "/tmp/marked", memoryMark);
      String diskHash = write(shell, "/root/marked", diskMark);
      shell.run("sync");

      Snapshot kept = ground.engine().snapshots().create(id, "generation-" + generation);
      assertEquals(memoryHash, hashOf(image(kept, "memory"), memoryMark), "memory " + generation);
      assertEquals(diskHash, hashOf(image(kept, "disk"), diskMark), "disk " + generation);

      shell.run("echo overwritten > /tmp/marked; echo overwritten > /root/marked; sync");
      ground.engine().snapshots().create(id, null);
      ground.engine().sandboxes().rollback(id, "generation-" + generation);
      assertHolds(ground.shell(id), memoryHash, diskHash);

      CloneReport clones = ground.engine().sandboxes().clone(id, new CloneRequest(1, 1, null));
      String clone = clones.sandboxes().get(0).id();
      assertHolds(ground.shell(clone), memoryHash, diskHash);
      // The next generation starts from the clone, so that the snapshots form one chain.
      ground.engine().sandboxes().kill(id);
      id = clone;
    }
    for (int generation = 1; generation <= GENERATIONS; generation++) {
      Snapshot kept = ground.engine().snapshots().get("generation-" + generation);
      String mark = "RAMET-MEM-" + generation + "-";
      Sandbox back = ground.create(kept.id());
      GuestShell shell = ground.shell(back.id());
      assertEquals(hash(shell, "/tmp/marked"), hashOf(image(kept, "memory"), mark));
      assertTrue(
          Objects.requireNonNull(kept.capture()).memoryBytesWritten() < 128L << 20,
          "an increment, not a copy");
      ground.engine().sandboxes().kill(back.id());
    }
  }

  private static void assertHolds(GuestShell shell, String memoryHash, String diskHash)
      throws IOException {
    assertEquals(memoryHash, hash(shell, "/tmp/marked"));
    // Read it from the disk and not from the page cache, which is memory.
    shell.run("sync; echo 3 > /proc/sys/vm/drop_caches");
    assertEquals(diskHash, hash(shell, "/root/marked"));
  }

  /** Writes pages that begin with the mark and their number, the rest random. */
  private static String write(GuestShell shell, String file, String mark) throws IOException {
    byte[] content = new byte[PAGES * PAGE];
    new java.security.SecureRandom().nextBytes(content);
    for (int page = 0; page < PAGES; page++) {
      byte[] head =
          (mark + String.format("%05d;", page))
              .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      System.arraycopy(head, 0, content, page * PAGE, head.length);
    }
    shell.write(file, content);
    return hash(shell, file);
  }

  private static String hash(GuestShell shell, String file) throws IOException {
    return shell.run("sha256sum " + file).substring(0, 64);
  }

  private Path image(Snapshot snapshot, String kind) throws IOException {
    String name = snapshot.id() + "." + kind;
    return Trees.below(ground.root().resolve("volumes")).stream()
        .filter(Files::isRegularFile)
        .filter(path -> String.valueOf(path.getFileName()).equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no image " + name));
  }

  /**
   * Returns the hash of all pages of an image that carry the mark, in the order of their numbers.
   */
  private static String hashOf(Path image, String mark) throws Exception {
    byte[] wanted = mark.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    TreeMap<Integer, byte[]> pages = new TreeMap<>();
    try (InputStream in = Files.newInputStream(image)) {
      byte[] page = new byte[PAGE];
      while (in.readNBytes(page, 0, PAGE) == PAGE) {
        if (java.util.Arrays.equals(page, 0, wanted.length, wanted, 0, wanted.length)) {
          String number =
              new String(page, wanted.length, 5, java.nio.charset.StandardCharsets.US_ASCII);
          pages.put(Integer.parseInt(number), page.clone());
        }
      }
    }
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    pages.values().forEach(digest::update);
    return HexFormat.of().formatHex(digest.digest());
  }
}
