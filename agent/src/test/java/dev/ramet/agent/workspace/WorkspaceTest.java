// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the client against the server that the agent has. */
class WorkspaceTest {
  private static WorkspaceGround ground;

  @TempDir Path root;

  @BeforeAll
  static void start() throws Exception {
    ground = new WorkspaceGround();
  }

  @AfterAll
  static void stop() throws Exception {
    ground.close();
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static <T> List<T> all(Listing<T> listing) {
    try (listing) {
      List<T> all = new ArrayList<>();
      for (T item = listing.next(); item != null; item = listing.next()) {
        all.add(item);
      }
      return all;
    }
  }

  @Test
  void changesAreFoundAndTakenBack() throws Exception {
    Workspace workspace = ground.of(root);
    GuestPath odd = GuestPath.of(new byte[] {'d', '/', (byte) 0xff, '\n', '+', ' '});
    Files.createDirectory(root.resolve("d"));
    Files.writeString(root.resolve("a"), "one");
    Entry made = workspace.entry(GuestPath.of("a"));
    Entry entry =
        new Entry(odd, made.status(), null, null, null, null, Map.of("user.x", new byte[] {1}));
    assertTrue(workspace.write(entry, bytes("odd")));
    assertFalse(workspace.write(entry, bytes("odd")));
    assertArrayEquals(new byte[] {1}, workspace.entry(odd).values().get("user.x"));

    Listing<Entry> list = workspace.index(null, null, 100);
    String before = list.digest();
    assertEquals(
        List.of(GuestPath.of("a"), GuestPath.of("d"), odd),
        all(list).stream().map(Entry::path).toList());
    Files.writeString(root.resolve("a"), "two");
    assertTrue(workspace.delete(odd));
    assertFalse(workspace.delete(odd));
    List<Change> changes = all(workspace.changes(before, null));
    assertEquals(
        List.of(Change.Kind.MODIFIED, Change.Kind.DELETED),
        changes.stream().map(Change::kind).toList());
    assertEquals(List.of("content"), changes.get(0).differs());
    try (InputStream in = workspace.read(GuestPath.of("a"), 1, 10)) {
      assertEquals("wo", new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
    assertTrue(workspace.write(made, bytes("one")));
    assertTrue(workspace.write(entry, bytes("odd")));
    assertEquals(List.of(), all(workspace.changes(before, null)));

    Listing<Entry> page = workspace.index(before, GuestPath.of("a"), 1);
    assertEquals(GuestPath.of("d"), Objects.requireNonNull(page.next()).path());
    assertNull(page.next());
    assertTrue(page.more());
    page.close();
  }

  @Test
  void eventsComeAsTheyHappen() throws Exception {
    Workspace workspace = ground.of(root);
    assertEquals(0, workspace.events(0, 10, Duration.ZERO).last());
    Files.writeString(root.resolve("a"), "one");
    FileEvent first = workspace.events(0, 10, Duration.ofSeconds(60)).events().get(0);
    assertEquals("created", first.action());
    assertEquals(GuestPath.of("a"), first.path());
  }

  @Test
  void errorsSayWhatIsWrong() {
    Workspace workspace = ground.of(root);
    GuestPath none = GuestPath.of("none");
    assertCode(ErrorCode.NOT_FOUND, () -> workspace.entry(none));
    assertCode(ErrorCode.NOT_FOUND, () -> workspace.read(none, 0, 1));
    assertCode(ErrorCode.INVALID_ARGUMENT, () -> workspace.delete(GuestPath.of("../x")));
    assertCode(ErrorCode.NOT_FOUND, () -> workspace.changes("0".repeat(64), "1".repeat(64)));
    assertCode(ErrorCode.NOT_FOUND, () -> ground.of(root.resolve("none")).index(null, null, 1));
  }

  private static void assertCode(ErrorCode code, org.junit.jupiter.api.function.Executable call) {
    assertEquals(code, assertThrows(RametException.class, call).code());
  }
}
