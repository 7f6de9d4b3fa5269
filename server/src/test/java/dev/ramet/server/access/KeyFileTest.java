// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.keys.KeyFile;
import dev.ramet.keys.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileTest {
  @TempDir private Path directory;

  private Path path() {
    return directory.resolve(KeyFile.NAME);
  }

  @Test
  void keepsDigestsForItsOwnerAlone() throws IOException {
    KeyFile file = new KeyFile(path());
    assertEquals(List.of(), file.list());
    KeyFile.Created made = file.create("ci", Scope.USER);
    assertTrue(made.key().matches("e2b_[0-9a-f]{40}"), "clients of the E2B protocol accept it");
    assertEquals(List.of(made.stored()), new KeyFile(path()).list());
    assertFalse(Files.readString(path()).contains(made.key()));
    assertFalse(Files.readString(path()).contains(made.key().substring(4)));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
  }

  @Test
  void revokesByIdAndByName() throws IOException {
    KeyFile file = new KeyFile(path());
    KeyFile.Created first = file.create("first", Scope.USER);
    KeyFile.Created second = file.create("second", Scope.ADMIN);
    KeyRing keys = new KeyRing(path());
    assertEquals(second.stored(), keys.find(second.key()));
    assertEquals(second.stored(), file.revoke("second"));
    assertNull(keys.find(second.key()), "at once");
    assertNotNull(keys.find(first.key()));
    file.revoke(first.stored().id());
    assertNull(keys.find(first.key()));
    RametException gone = assertThrows(RametException.class, () -> file.revoke("first"));
    assertEquals(ErrorCode.NOT_FOUND, gone.code());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "a/b",
        "ä",
        "01234567890123456789012345678901234567890123456789012345678901234"
      })
  void refusesNames(String name) {
    RametException refused =
        assertThrows(RametException.class, () -> new KeyFile(path()).create(name, Scope.USER));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertFalse(Files.exists(path()));
  }

  @Test
  void refusesANameThatIsTaken() throws IOException {
    KeyFile file = new KeyFile(path());
    file.create("ci", Scope.USER);
    String before = Files.readString(path());
    RametException refused =
        assertThrows(RametException.class, () -> file.create("ci", Scope.ADMIN));
    assertEquals(ErrorCode.ALREADY_EXISTS, refused.code());
    assertEquals(before, Files.readString(path()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{\"version\":2,\"keys\":[]}",
        "{\"version\":1,\"keys\":[{\"id\":\"key-1\"}]}",
        "{\"version\":1,\"keys\":[{\"id\":\"k\",\"name\":\"n\",\"scope\":\"user\",\"createdAt\":\"soon\",\"sha256\":\"\"}]}"
      })
  void leavesAFileItDoesNotUnderstand(String content) throws IOException {
    Files.writeString(path(), content);
    KeyFile file = new KeyFile(path());
    for (int i = 0; i < 2; i++) {
      RametException corrupt = assertThrows(RametException.class, file::list);
      assertEquals(ErrorCode.CORRUPT, corrupt.code());
      assertThrows(RametException.class, () -> file.create("ci", Scope.USER));
    }
    assertEquals(content, Files.readString(path()));
    assertThrows(
        RametException.class, () -> new KeyRing(path()).find("e2b_00"), "not an open door");
  }

  @Test
  void losesNoKeyWhenManyAreMadeAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<KeyFile.Created>> made = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        String name = "key" + i;
        made.add(threads.submit(() -> new KeyFile(path()).create(name, Scope.USER)));
      }
      KeyRing keys = new KeyRing(path());
      for (Future<KeyFile.Created> one : made) {
        assertEquals(one.get().stored(), keys.find(one.get().key()));
      }
    } finally {
      threads.shutdown();
    }
    assertEquals(24, new KeyFile(path()).list().size());
  }

  @Test
  void replacesWhatAKilledWriterLeft() throws IOException {
    Files.writeString(directory.resolve(KeyFile.NAME + ".new"), "half");
    new KeyFile(path()).create("ci", Scope.USER);
    assertFalse(Files.exists(directory.resolve(KeyFile.NAME + ".new")));
    assertEquals(1, new KeyFile(path()).list().size());
  }
}
