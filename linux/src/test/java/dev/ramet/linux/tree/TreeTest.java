// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class TreeTest {
  private static final int ELOOP = 40;
  private static final int ENAMETOOLONG = 36;

  @TempDir Path temporary;
  private Path inside;
  private Path outside;
  private Tree tree;

  @BeforeEach
  void make() throws Exception {
    inside = Files.createDirectory(temporary.resolve("inside"));
    outside = Files.createDirectory(temporary.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "secret");
    tree = Tree.open(inside);
  }

  @AfterEach
  void close() {
    tree.close();
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static int errno(Executable call) {
    return assertThrows(LinuxException.class, call).errno();
  }

  @Test
  void keepsWhatIsSet() throws Exception {
    tree.makeDirectory(name("d"), 0x1ED);
    try (Fd file = tree.createFile(name("d/f"), 0xFFF)) {
      assertEquals(
          TreeAttributes.KEPT_MODE,
          TreeAttributes.of(file).permissions(),
          "nothing runs as its owner");
    }
    assertEquals(LinuxException.EEXIST, errno(() -> tree.createFile(name("d/f"), 0)));
    tree.setMode(name("d/f"), 0x1A0);
    try (Fd fd = tree.openAny(name("d/f"))) {
      TreeAttributes.setTimes(fd, 1_500_000_000L, TreeAttributes.OMIT);
    }
    TreeEntry entry = tree.stat(name("d/f"));
    assertEquals(0x1A0, entry.permissions());
    assertEquals(1_500_000_000L, entry.accessedNanos());
    assertTrue(
        entry.isFile() && tree.stat(name("d")).isDirectory() && tree.stat(name("")).isDirectory());
    tree.addName(name("d/f"), name("other"));
    assertEquals(2, tree.stat(name("other")).links());
    assertEquals(entry.identity(), tree.stat(name("other")).identity());
    tree.makeLink(name("link"), name("d/f"));
    assertArrayEquals(name("d/f"), tree.readLink(name("link")));
    assertTrue(tree.stat(name("link")).isLink());
    assertEquals(LinuxException.EINVAL, errno(() -> tree.readLink(name("d"))));
    tree.rename(name("other"), name("d/g"), false);
    assertEquals(LinuxException.EEXIST, errno(() -> tree.rename(name("d/f"), name("d/g"), false)));
    List<String> names =
        tree.list(name("d"), 10).stream()
            .map(n -> new String(n.bytes(), StandardCharsets.UTF_8))
            .sorted()
            .toList();
    assertEquals(List.of("f", "g"), names);
    assertEquals(LinuxException.EFBIG, errno(() -> tree.list(name("d"), 1)));
    tree.unlink(name("d/f"));
    tree.unlink(name("d/g"));
    tree.removeDirectory(name("d"));
    assertEquals(LinuxException.ENOENT, errno(() -> tree.stat(name("d"))));
  }

  @Test
  void anInodeThatIsGivenAgainIsAnotherEntry() throws Exception {
    for (int i = 0; i < 100; i++) {
      tree.createFile(name("f"), 0x180).close();
      TreeEntry before = tree.stat(name("f"));
      tree.unlink(name("f"));
      tree.createFile(name("f"), 0x180).close();
      assertNotEquals(before.identity(), tree.stat(name("f")).identity());
      tree.unlink(name("f"));
    }
  }

  @Test
  void namesAreBytes() throws Exception {
    byte[] odd = {(byte) 0xff, '\n', (byte) 0x80};
    tree.createFile(odd, 0x180).close();
    assertArrayEquals(odd, tree.list(name(""), 10).get(0).bytes());
    tree.unlink(odd);
  }

  @Test
  void noNameLeadsOut() throws Exception {
    Files.createSymbolicLink(inside.resolve("link"), outside);
    Files.createSymbolicLink(inside.resolve("up"), Path.of(".."));
    Files.createSymbolicLink(inside.resolve("file"), outside.resolve("secret"));
    Files.createDirectory(inside.resolve("d"));
    for (String name :
        List.of(
            "..",
            ".",
            "../outside/secret",
            "d/../../outside/secret",
            "d/..",
            "/etc/passwd",
            "",
            "d//x",
            "d/",
            "a\0b",
            "link/secret",
            "link/x",
            "up/outside/secret",
            "file/x")) {
      byte[] bytes = name(name);
      assertThrows(LinuxException.class, () -> tree.openFile(bytes, true), name);
      assertThrows(LinuxException.class, () -> tree.createFile(bytes, 0x180), name);
      assertThrows(LinuxException.class, () -> tree.makeDirectory(bytes, 0x1C0), name);
      assertThrows(LinuxException.class, () -> tree.makeLink(bytes, name("x")), name);
      assertThrows(LinuxException.class, () -> tree.unlink(bytes), name);
      assertThrows(LinuxException.class, () -> tree.removeDirectory(bytes), name);
      assertThrows(LinuxException.class, () -> tree.rename(name("d"), bytes, true), name);
      assertThrows(LinuxException.class, () -> tree.rename(bytes, name("stolen"), true), name);
      assertThrows(LinuxException.class, () -> tree.addName(bytes, name("stolen")), name);
      if (!name.isEmpty()) {
        assertThrows(LinuxException.class, () -> tree.stat(bytes), name);
        assertThrows(LinuxException.class, () -> tree.setMode(bytes, 0), name);
        assertThrows(LinuxException.class, () -> tree.list(bytes, 10), name);
      }
    }
    // A link at the end is itself, and is not followed.
    assertEquals(ELOOP, errno(() -> tree.openFile(name("file"), false)));
    assertEquals(LinuxException.EINVAL, errno(() -> tree.setMode(name("file"), 0)));
    assertEquals(ENAMETOOLONG, errno(() -> tree.stat(name("x".repeat(256)))));
    tree.addName(name("file"), name("hard"));
    assertTrue(tree.stat(name("hard")).isLink());
    tree.unlink(name("link"));
    assertEquals("secret", Files.readString(outside.resolve("secret")));
    try (Stream<Path> left = Files.list(outside)) {
      assertEquals(1, left.count());
    }
  }

  @Test
  void whatIsNoFileIsNotOpenedAsOne() throws Exception {
    Files.createDirectory(inside.resolve("d"));
    assertThrows(LinuxException.class, () -> tree.openFile(name("d"), true));
    assertThrows(LinuxException.class, () -> tree.openFile(name("d"), false));
  }

  @Test
  void noRaceLeadsOut() throws Exception {
    Path plain = Files.createDirectory(temporary.resolve("plain"));
    Path link = Files.createSymbolicLink(temporary.resolve("link"), outside);
    Path swapped = inside.resolve("d");
    AtomicBoolean stop = new AtomicBoolean();
    Thread guest =
        new Thread(
            () -> {
              try {
                while (!stop.get()) {
                  Files.move(plain, swapped, StandardCopyOption.ATOMIC_MOVE);
                  Files.move(swapped, plain, StandardCopyOption.ATOMIC_MOVE);
                  Files.move(link, swapped, StandardCopyOption.ATOMIC_MOVE);
                  Files.move(swapped, link, StandardCopyOption.ATOMIC_MOVE);
                }
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    guest.start();
    try {
      for (int i = 0; i < 3000; i++) {
        String file = "d/f" + i;
        ignored(() -> tree.createFile(name(file), 0x180).close());
        ignored(() -> tree.openFile(name("d/secret"), true).close());
        ignored(() -> tree.unlink(name("d/secret")));
        ignored(() -> tree.makeDirectory(name("d/dir"), 0x1C0));
      }
    } finally {
      stop.set(true);
      guest.join();
    }
    try (Stream<Path> left = Files.list(outside)) {
      assertEquals(List.of(outside.resolve("secret")), left.toList());
    }
    assertFalse(Files.exists(plain.resolve("secret")));
  }

  private static void ignored(Executable call) {
    try {
      call.execute();
    } catch (LinuxException e) {
      // Whatever was there just then.
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
