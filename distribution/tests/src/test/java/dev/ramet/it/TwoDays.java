// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.start.Engine;
import java.io.IOException;

/**
 * A guest with the snapshots {@code monday} and {@code tuesday}, between which files, memory and a
 * process changed.
 *
 * @param sandboxId the guest's sandbox
 * @param expected the guest's files and the next answer of its process, at the later snapshot
 */
record TwoDays(String sandboxId, String expected) {
  private static final int AGENT_PORT = 49_983;

  // A process that counts, so that its state is in memory alone.
  private static final String COUNTER =
      "mkfifo /tmp/ask /tmp/answer; setsid sh -c 'n=0; while read q < /tmp/ask; do "
          + "n=$((n+1)); echo $n > /tmp/answer; done' >/dev/null 2>&1 &";
  static final String COUNT = "echo > /tmp/ask; cat /tmp/answer";
  private static final String FIRST =
      "echo monday > /root/file; dd if=/dev/urandom of=/root/old bs=64k count=8 2>/dev/null;"
          + "dd if=/dev/urandom of=/tmp/kept bs=64k count=16 2>/dev/null; sync;";
  private static final String SECOND =
      "echo tuesday > /root/file; dd if=/dev/zero of=/root/old bs=64k count=8 conv=notrunc"
          + " 2>/dev/null; dd if=/dev/urandom of=/root/new bs=64k count=8 2>/dev/null;"
          + "dd if=/dev/urandom of=/tmp/new bs=64k count=8 2>/dev/null; sync;";
  private static final String LOOK =
      "cat /root/file; cat /root/old /root/new /tmp/kept /tmp/new | md5sum;" + COUNT;

  /** Boots it and takes both. */
  static TwoDays of(Ground ground) throws IOException {
    String sandboxId = ground.create().id();
    GuestShell shell = ground.shell(sandboxId);
    shell.run(FIRST + COUNTER);
    assertEquals("1", shell.run(COUNT));
    ground.engine().snapshots().create(sandboxId, "monday");
    assertEquals("2", shell.run(SECOND + COUNT));
    ground.engine().snapshots().create(sandboxId, "tuesday");
    String expected = shell.run(LOOK);
    assertTrue(expected.startsWith("tuesday\n") && expected.endsWith("\n3"), expected);
    return new TwoDays(sandboxId, expected);
  }

  /**
   * Checks that a fork of the newer snapshot continues from where it was taken; returns the fork's
   * id.
   */
  String assertHolds(Engine engine) throws IOException {
    NewSandbox request = NewSandbox.of("tuesday").build();
    String id = engine.sandboxes().create(request).id();
    boolean holds = false;
    try {
      GuestShell shell = new GuestShell(engine.sandboxes().endpoint(id, AGENT_PORT));
      assertEquals(expected, shell.run(LOOK));
      holds = true;
      return id;
    } finally {
      if (!holds) {
        engine.sandboxes().kill(id);
      }
    }
  }
}
