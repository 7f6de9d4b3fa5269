// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.volumes.Volume;
import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.engine.volumes.VolumeEntry;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class VolumeStoreTest {
  private static final VolumeContent.Attributes PLAIN =
      new VolumeContent.Attributes(null, null, null);

  @TempDir Path root;
  private VolumeStore store;

  @BeforeEach
  void open() throws Exception {
    store = new VolumeStore(new Layout(root));
    store.load();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Volume create(String name) throws IOException {
    return store.create(Ids.newId('v'), name);
  }

  private static ErrorCode code(Executable call) {
    return assertThrows(RametException.class, call).code();
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private Path directory(Volume volume) {
    return root.resolve("shared-volumes").resolve(volume.id());
  }

  @Test
  void volumesOutliveTheHostAndHalfMadeOnesDoNot() throws Exception {
    Volume kept = create("kept");
    Volume gone = create("gone");
    new VolumeFiles(store, gone.id()).makeDirectory("/a/b", PLAIN, true);
    assertEquals(ErrorCode.ALREADY_EXISTS, code(() -> create("kept")));
    assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> create("no/name")));
    Path partial = root.resolve("shared-volumes/.new-" + Ids.newId('v'));
    Files.createDirectories(partial.resolve("files/some"));
    // The state after the rename, which is the first step of a deletion.
    store.close();
    Files.move(directory(gone), root.resolve("shared-volumes/.del-" + gone.id()));
    Path foreign = Files.writeString(root.resolve("shared-volumes/notes"), "mine");

    store = new VolumeStore(new Layout(root));
    store.load();
    assertEquals(List.of(kept), store.all());
    assertEquals(kept, store.find("kept").orElseThrow());
    assertEquals(kept, store.find(kept.id()).orElseThrow());
    try (Stream<Path> left = Files.list(root.resolve("shared-volumes"))) {
      assertEquals(Set.of(foreign, directory(kept)), left.collect(Collectors.toSet()));
    }
    store.delete(kept.id());
    assertFalse(Files.exists(directory(kept)));
    assertEquals(ErrorCode.NOT_FOUND, code(() -> store.get(kept.id())));
    assertEquals(ErrorCode.NOT_FOUND, code(() -> store.open(kept.id())));
  }

  @Test
  void deepTreesGo() throws Exception {
    Volume volume = create("deep");
    Path files = directory(volume).resolve("files");
    // Deeper than the longest path, as a guest can make it by renaming.
    String part = "x".repeat(200);
    Path deep = files.resolve(part);
    Files.createDirectory(deep);
    for (int i = 0; i < 60; i++) {
      Path around = Files.createDirectory(files.resolve("new"));
      Files.move(deep, around.resolve(part));
      Files.writeString(around.resolve("file"), "x");
      Files.move(around, deep);
    }
    VolumeContent content = new VolumeFiles(store, volume.id());
    content.remove("/" + part);
    assertEquals(List.of(), content.list("/", 1));
    try (Stream<Path> left = Files.list(directory(volume).resolve("uploads"))) {
      assertEquals(0, left.count());
    }
    store.delete(volume.id());
  }

  @Test
  void contentIsWrittenWholeAndReadBack() throws Exception {
    VolumeContent content = new VolumeFiles(store, create("content").id());
    byte[] large = new byte[1_000_000];
    new Random(3).nextBytes(large);
    VolumeEntry made = content.write("/f", new ByteArrayInputStream(large), PLAIN, true, false);
    assertEquals(large.length, made.sizeBytes());
    try (InputStream in = content.read("f").content()) {
      assertArrayEquals(large, in.readAllBytes());
    }
    InputStream broken =
        new SequenceInputStream(
            bytes("some"),
            new FilterInputStream(InputStream.nullInputStream()) {
              @Override
              public int read(byte[] target, int at, int length) throws IOException {
                throw new IOException("the client has gone");
              }
            });
    assertThrows(IOException.class, () -> content.write("/f", broken, PLAIN, true, false));
    assertEquals(large.length, content.stat("/f").sizeBytes(), "the old one is whole");
    assertEquals(1, content.list("/", 1000).size());

    content.update("/f", new VolumeContent.Attributes(null, null, 0x1C0));
    content.write("/f", bytes("new"), PLAIN, true, false);
    assertEquals(0x1C0, content.stat("/f").mode(), "stays");
    assertEquals(
        ErrorCode.ALREADY_EXISTS, code(() -> content.write("/f", bytes(""), PLAIN, false, true)));
    assertEquals(
        ErrorCode.NOT_FOUND, code(() -> content.write("/d/f", bytes(""), PLAIN, true, false)));
    content.write("/d/e/f", bytes("deep"), PLAIN, true, true);
    assertEquals(
        List.of("/d", "/d/e", "/d/e/f", "/f"),
        content.list("/", 3).stream().map(VolumeEntry::path).toList());
    assertEquals(2, content.list("/", 1).size());
    assertEquals(
        ErrorCode.INVALID_ARGUMENT, code(() -> content.write("/d", bytes(""), PLAIN, true, true)));
    assertEquals(ErrorCode.NOT_FOUND, code(() -> content.list("/f", 1)));
    assertEquals(ErrorCode.ALREADY_EXISTS, code(() -> content.makeDirectory("/d", PLAIN, false)));
    assertEquals(ErrorCode.ALREADY_EXISTS, code(() -> content.makeDirectory("/f", PLAIN, true)));
    content.remove("/d");
    assertEquals(ErrorCode.NOT_FOUND, code(() -> content.stat("/d/e/f")));
  }

  @Test
  void noPathLeadsOut() throws Exception {
    Volume volume = create("closed");
    Path secret = Files.writeString(root.resolve("secret"), "secret");
    Files.createSymbolicLink(directory(volume).resolve("files/link"), root);
    Files.createSymbolicLink(directory(volume).resolve("files/file"), secret);
    VolumeContent content = new VolumeFiles(store, volume.id());
    for (String path : List.of("/../manifest.json", "/link/secret", "/./x", "/a\0b", "..")) {
      assertTrue(
          List.of(ErrorCode.INVALID_ARGUMENT, ErrorCode.NOT_FOUND)
              .contains(code(() -> content.read(path))),
          path);
      assertThrows(RametException.class, () -> content.write(path, bytes("x"), PLAIN, true, true));
      assertThrows(RametException.class, () -> content.makeDirectory(path, PLAIN, true));
      assertThrows(RametException.class, () -> content.remove(path));
      assertThrows(RametException.class, () -> content.list(path, 1));
    }
    assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> content.read("/file")));
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        code(() -> content.write("/file", bytes("x"), PLAIN, true, true)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> content.remove("/")));
    assertEquals(secret.toString(), content.stat("/file").target());
    assertEquals("secret", Files.readString(secret));
    content.remove("/link");
    assertTrue(Files.exists(secret));
    for (Integer mode : List.of(-1, 4096)) {
      assertEquals(
          ErrorCode.INVALID_ARGUMENT,
          code(() -> content.update("/", new VolumeContent.Attributes(null, null, mode))));
    }
  }
}
