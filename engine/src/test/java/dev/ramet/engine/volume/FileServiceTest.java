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
import org.junit.jupiter.api.Test;

final class FileServiceTest extends FileServiceGround {
  private static final int EINVAL = 22;
  private static final int ESTALE = 116;
  private static final int STAT = 1;
  private static final int LIST = 3;
  private static final int READ = 4;
  private static final int RENAME = 10;
  private static final int HIDE = 16;

  private long identity(String path) {
    ByteBuffer answer = ask(request(++number, false, STAT, place(false, path), u64(0)));
    assertEquals(0, answer.getInt());
    return answer.getLong();
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
      ByteBuffer answer = service.handle(ByteBuffer.wrap(frame));
      assertTrue(answer.remaining() >= 20);
    }
    assertEquals("secret", Files.readString(secret));
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(2, left.count());
    }
  }
}
