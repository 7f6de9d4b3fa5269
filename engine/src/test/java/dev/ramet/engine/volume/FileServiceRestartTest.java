// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Checks that changes are made once, whether they come again or the host died. */
final class FileServiceRestartTest extends FileServiceGround {
  private static final int EEXIST = 17;
  private static final int MAKE_DIRECTORY = 7;

  @Test
  void aChangeThatComesAgainIsMadeOnce() throws Exception {
    assertEquals(0, errno(create("log")));
    byte[] line = append(1000, false, "log", "one\n");
    byte[] again = append(1000, true, "log", "one\n");
    assertEquals(0, errno(line));
    assertEquals(0, errno(again));
    assertEquals(0, errno(append(1001, false, "log", "two\n")));
    assertEquals(0, errno(again));
    reopen();
    assertEquals(0, errno(again));
    assertEquals("one\ntwo\n", Files.readString(file("log")));

    byte[] parts = u32(0x1ED, 0, 0);
    byte[] directories = request(2000, false, MAKE_DIRECTORY, place(false, "d"), parts);
    assertEquals(0, errno(directories));
    assertEquals(EEXIST, errno(request(2001, false, MAKE_DIRECTORY, place(false, "d"), parts)));
    reopen();
    assertEquals(0, errno(request(2000, true, MAKE_DIRECTORY, place(false, "d"), parts)));
    assertEquals(
        EEXIST,
        errno(request(2001, true, MAKE_DIRECTORY, place(false, "d"), parts)),
        "who was refused is refused again");
    assertEquals(0, errno(request(2002, false, UNLINK, place(false, "log"))));
    assertEquals(0, errno(request(2002, true, UNLINK, place(false, "log"))));
    assertEquals(
        ENOENT, errno(request(2003, true, UNLINK, place(false, "log"))), "nothing is known of it");
  }

  @Test
  void whatWasBegunWhenTheHostDiedIsFinishedOnce() throws Exception {
    assertEquals(0, errno(create("log")));
    Files.writeString(file("log"), "before\n");
    // Recorded as begun and carried out, but not recorded as done.
    volume.answers().recordStart(new RequestJournal.Key(99, 50), 7);
    Files.writeString(file("log"), "before\nli");
    volume.answers().recordStart(new RequestJournal.Key(99, 51), 0);
    Files.createDirectory(file("made"));
    volume.answers().recordStart(new RequestJournal.Key(99, 52), 0);
    reopen();
    assertEquals(0, errno(append(50, true, "log", "line\n")));
    assertEquals("before\nline\n", Files.readString(file("log")));
    byte[] parts = u32(0x1ED, 0, 0);
    assertEquals(0, errno(request(51, true, MAKE_DIRECTORY, place(false, "made"), parts)));
    assertEquals(0, errno(request(52, true, MAKE_DIRECTORY, place(false, "not yet"), parts)));
    assertTrue(Files.isDirectory(file("not yet")));
  }

  @Test
  void whatWasBegunDoesNoHarmToWhatOthersDidSince() throws Exception {
    assertEquals(0, errno(create("log")));
    Files.writeString(file("log"), "before\n");
    // Recorded as begun, but the host was killed before anything was written.
    volume.answers().recordStart(new RequestJournal.Key(99, 50), 7);
    volume.answers().recordStart(new RequestJournal.Key(99, 51), 7);
    reopen();
    assertEquals(0, errno(append(60, false, "log", "other\n")));
    assertEquals(0, errno(append(50, true, "log", "line\n")));
    assertEquals("before\nother\nline\n", Files.readString(file("log")));
    assertEquals(0, errno(append(50, true, "log", "line\n")));
    assertEquals("before\nother\nline\n", Files.readString(file("log")));

    Files.writeString(file("log"), "");
    assertEquals(0, errno(append(51, true, "log", "new\n")));
    assertEquals("new\n", Files.readString(file("log")));
  }

  @Test
  void notesGoRound() throws Exception {
    RequestJournal answers = volume.answers();
    for (long i = 0; i < RequestJournal.SLOTS + 10; i++) {
      answers.recordStart(new RequestJournal.Key(1, i), i);
      answers.recordResult(new RequestJournal.Key(1, i), 0);
    }
    reopen();
    assertEquals(null, volume.answers().find(new RequestJournal.Key(1, 9)));
    RequestJournal.StoredResult known = volume.answers().find(new RequestJournal.Key(1, 10));
    assertEquals(new RequestJournal.StoredResult(true, 0, 10), known);
    assertTrue(Files.size(directory.resolve("answers")) <= RequestJournal.SLOTS * 32L);
  }
}
