// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileServiceTest {
  private static final int ENOENT = 2;
  private static final int EEXIST = 17;
  private static final int EINVAL = 22;
  private static final int ESTALE = 116;
  private static final int STAT = 1;
  private static final int LIST = 3;
  private static final int READ = 4;
  private static final int WRITE = 5;
  private static final int CREATE = 6;
  private static final int MAKE_DIRECTORY = 7;
  private static final int UNLINK = 8;
  private static final int RENAME = 10;
  private static final int HIDE = 16;

  @TempDir Path temporary;
  private Path directory;
  private OpenVolume volume;
  private GuestFileServer service;
  private long number;

  @BeforeEach
  void open() throws Exception {
    directory = Files.createDirectory(temporary.resolve("volume"));
    OpenVolume.make(directory);
    volume = OpenVolume.open(directory);
    service = new GuestFileServer(volume);
  }

  @AfterEach
  void close() {
    volume.close();
  }

  /** Reopens the volume as after the host was killed. */
  private void reopen() throws Exception {
    volume.close();
    volume = OpenVolume.open(directory);
    service = new GuestFileServer(volume);
  }

  private static byte[] place(boolean nameless, String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(3 + bytes.length)
        .put((byte) (nameless ? 1 : 0))
        .putShort((short) bytes.length)
        .put(bytes)
        .array();
  }

  private static byte[] request(long number, boolean again, int operation, byte[]... parts) {
    ByteBuffer frame = ByteBuffer.allocate(1 << 18);
    frame.putLong(99).putLong(number).put((byte) (again ? 1 : 0)).put((byte) operation);
    for (byte[] part : parts) {
      frame.put(part);
    }
    byte[] bytes = new byte[frame.flip().remaining()];
    frame.get(bytes);
    return bytes;
  }

  private ByteBuffer ask(byte[] request) {
    ByteBuffer answer = service.answer(ByteBuffer.wrap(request));
    assertEquals(99, answer.getLong());
    answer.getLong();
    return answer;
  }

  private int errno(byte[] request) {
    return ask(request).getInt();
  }

  private int errno(int operation, byte[]... parts) {
    return errno(request(++number, false, operation, parts));
  }

  private static byte[] u8(int value) {
    return new byte[] {(byte) value};
  }

  private static byte[] u32(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Integer.BYTES);
    for (int value : values) {
      bytes.putInt(value);
    }
    return bytes.array();
  }

  private static byte[] u64(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private byte[] create(String path) {
    return request(++number, false, CREATE, place(false, path), u32(0x1A4, 0, 0), u8(1));
  }

  private static byte[] append(long number, boolean again, String path, String data) {
    return request(number, again, WRITE, place(false, path), u64(0), u64(0), u8(1), text(data));
  }

  private long identity(String path) {
    ByteBuffer answer = ask(request(++number, false, STAT, place(false, path), u64(0)));
    assertEquals(0, answer.getInt());
    return answer.getLong();
  }

  private Path file(String path) {
    return directory.resolve("files").resolve(path);
  }

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
    volume.answers().begin(new Answers.Key(99, 50), 7);
    Files.writeString(file("log"), "before\nli");
    volume.answers().begin(new Answers.Key(99, 51), 0);
    Files.createDirectory(file("made"));
    volume.answers().begin(new Answers.Key(99, 52), 0);
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
    volume.answers().begin(new Answers.Key(99, 50), 7);
    volume.answers().begin(new Answers.Key(99, 51), 7);
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
    Answers answers = volume.answers();
    for (long i = 0; i < Answers.SLOTS + 10; i++) {
      answers.begin(new Answers.Key(1, i), i);
      answers.done(new Answers.Key(1, i), 0);
    }
    reopen();
    assertEquals(null, volume.answers().find(new Answers.Key(1, 9)));
    Answers.Known known = volume.answers().find(new Answers.Key(1, 10));
    assertEquals(new Answers.Known(true, 0, 10), known);
    assertTrue(Files.size(directory.resolve("answers")) <= Answers.SLOTS * 32L);
  }

  @Test
  void anotherFileInItsPlaceIsNotTakenForIt() throws Exception {
    assertEquals(0, errno(create("f")));
    long identity = identity("f");
    byte[] read = request(5, false, READ, place(false, "f"), u64(identity), u64(0), u32(10));
    assertEquals(0, errno(read));
    Files.delete(file("f"));
    assertEquals(ENOENT, errno(read));
    assertEquals(0, errno(create("f")));
    assertEquals(ESTALE, errno(read));
    byte[] write =
        request(6, false, WRITE, place(false, "f"), u64(identity), u64(0), u8(0), text("lost"));
    assertEquals(ESTALE, errno(write));
    assertEquals(0, Files.size(file("f")));
  }

  @Test
  void whatIsOpenOutlivesItsName() throws Exception {
    assertEquals(0, errno(create("f")));
    Files.writeString(file("f"), "content");
    long identity = identity("f");
    assertEquals(0, errno(HIDE, place(false, "f"), u64(identity)));
    assertFalse(Files.exists(file("f")));
    String kept = String.format("%016x", identity);
    ByteBuffer read =
        ask(request(1, false, READ, place(true, kept), u64(identity), u64(0), u32(100)));
    assertEquals(0, read.getInt());
    assertEquals("content", StandardCharsets.UTF_8.decode(read).toString());
    assertEquals(0, errno(UNLINK, place(true, kept)));

    assertEquals(0, errno(create("old")));
    assertEquals(0, errno(create("new")));
    long replaced = identity("old");
    byte[] rename =
        request(7, false, RENAME, place(false, "new"), place(false, "old"), u8(1), u64(replaced));
    assertEquals(0, errno(rename));
    assertTrue(
        Files.exists(directory.resolve("nameless").resolve(String.format("%016x", replaced))));
    reopen();
    volume.forgetNameless();
    try (Stream<Path> left = Files.list(directory.resolve("nameless"))) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void aLargeDirectoryIsToldInPages() throws Exception {
    int count = 3000;
    for (int i = 0; i < count; i++) {
      Files.createFile(file(String.format("%0200d", i)));
    }
    List<String> names = new ArrayList<>();
    boolean more = true;
    int pages = 0;
    while (more) {
      byte[] after = text(names.isEmpty() ? "" : names.get(names.size() - 1));
      byte[] length = ByteBuffer.allocate(2).putShort((short) after.length).array();
      ByteBuffer answer = ask(request(1, false, LIST, place(false, ""), u64(0), length, after));
      assertEquals(0, answer.getInt());
      more = answer.get() != 0;
      pages++;
      while (answer.hasRemaining()) {
        answer.getLong();
        assertEquals(8, answer.get(), "a regular file");
        byte[] name = new byte[answer.getShort()];
        answer.get(name);
        names.add(new String(name, StandardCharsets.UTF_8));
      }
    }
    assertEquals(count, names.size());
    assertEquals(count, names.stream().distinct().count());
    assertTrue(pages > 1, "only " + pages);
  }

  @Test
  void nothingLeadsOutAndNothingThrows() throws Exception {
    Path secret = Files.writeString(temporary.resolve("secret"), "secret");
    Files.createSymbolicLink(file("link"), temporary);
    for (String path :
        List.of("../../secret", "link/secret", "/etc/passwd", "..", "a/../../secret", "x\0y")) {
      assertTrue(errno(STAT, place(false, path), u64(0)) != 0, path);
      assertTrue(errno(create(path)) != 0, path);
      assertTrue(errno(append(++number, false, path, "x")) != 0, path);
      assertTrue(errno(UNLINK, place(false, path)) != 0, path);
      assertTrue(errno(UNLINK, place(true, path)) != 0, path);
      assertTrue(errno(HIDE, place(false, path), u64(0)) != 0, path);
    }
    assertEquals(0, errno(create("f")));
    byte[] everywhere = u64(Long.MAX_VALUE);
    assertTrue(errno(WRITE, place(false, "f"), u64(0), everywhere, u8(0), text("x")) != 0);
    assertTrue(errno(READ, place(false, "f"), u64(0), u64(-1), u32(1)) != 0);
    assertEquals(EINVAL, errno(READ, place(false, "f"), u64(0), u64(0), u32(-1)));
    assertEquals(EINVAL, errno(READ, place(false, "f"), u64(0), u64(0), u32(1 << 30)));

    Random random = new Random(42);
    byte[] valid = append(1, true, "f", "some data");
    for (int i = 0; i < 20_000; i++) {
      byte[] frame = i % 2 == 0 ? valid.clone() : new byte[random.nextInt(200)];
      if (i % 2 == 0) {
        for (int k = 0; k < 3; k++) {
          frame[16 + random.nextInt(frame.length - 16)] = (byte) random.nextInt();
        }
      } else {
        random.nextBytes(frame);
        if (frame.length > 17) {
          frame[17] = (byte) random.nextInt(18);
        }
      }
      ByteBuffer answer = service.answer(ByteBuffer.wrap(frame));
      assertTrue(answer.remaining() >= 20);
    }
    assertEquals("secret", Files.readString(secret));
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(2, left.count());
    }
  }
}
