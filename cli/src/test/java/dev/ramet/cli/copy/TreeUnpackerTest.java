// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests archives as honest and as hostile guests send them. */
final class TreeUnpackerTest {
  @TempDir private Path scratch;
  private final ByteArrayOutputStream archive = new ByteArrayOutputStream();
  private final TarArchiveOutputStream tar = new TarArchiveOutputStream(archive);
  private final List<String> leftOut = new ArrayList<>();
  private Path target;
  private Path outside;

  @BeforeEach
  void folders() throws IOException {
    target = Files.createDirectory(scratch.resolve("target"));
    outside = Files.createDirectory(scratch.resolve("outside"));
  }

  private void add(String name, byte type, String link, String content) throws IOException {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    // As hostile archives have them: the library would drop a slash at the beginning.
    TarArchiveEntry entry = new TarArchiveEntry(name, type, true);
    entry.setLinkName(link);
    entry.setMode(04751);
    entry.setModTime(FileTime.from(Instant.ofEpochSecond(1_000_000_000)));
    entry.setSize(bytes.length);
    tar.putArchiveEntry(entry);
    tar.write(bytes);
    tar.closeArchiveEntry();
  }

  private void file(String name, String content) throws IOException {
    add(name, TarConstants.LF_NORMAL, "", content);
  }

  private void symlink(String name, String to) throws IOException {
    add(name, TarConstants.LF_SYMLINK, to, "");
  }

  private void unpack() throws IOException {
    tar.finish();
    new TreeUnpacker(target, leftOut::add).unpack(new ByteArrayInputStream(archive.toByteArray()));
  }

  private void assertNothingOutside() throws IOException {
    try (var names = Files.list(outside)) {
      assertEquals(List.of(), names.toList());
    }
    try (var names = Files.list(scratch)) {
      assertEquals(2, names.count());
    }
  }

  @Test
  void modesTimesAndLinksAreKept() throws IOException {
    add("d/", TarConstants.LF_DIR, "", "");
    file("./d/f", "content");
    add("d/hard", TarConstants.LF_LINK, "d/f", "");
    symlink("d/soft", "../anywhere");
    add("d/pipe", TarConstants.LF_FIFO, "", "");
    add("d/disk", TarConstants.LF_BLK, "", "");
    unpack();
    Path file = target.resolve("d/f");
    assertEquals("content", Files.readString(file));
    assertEquals("rwxr-x--x", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(0751, (Integer) Files.getAttribute(file, "unix:mode") & 07777, "no set-user-ID");
    assertEquals(
        1_000_000_000, Files.getLastModifiedTime(file).to(java.util.concurrent.TimeUnit.SECONDS));
    assertEquals(
        1_000_000_000,
        Files.getLastModifiedTime(target.resolve("d")).to(java.util.concurrent.TimeUnit.SECONDS));
    assertEquals(2, Files.getAttribute(file, "unix:nlink"));
    assertEquals(Path.of("../anywhere"), Files.readSymbolicLink(target.resolve("d/soft")));
    assertEquals(List.of("d/pipe", "d/disk"), leftOut);
  }

  @ParameterizedTest
  @ValueSource(strings = {"../evil", "a/../../evil", "/../evil", "a/..", ".."})
  void aNameWithTwoDotsIsRefused(String name) throws IOException {
    file(name, "x");
    assertThrows(RametException.class, this::unpack);
    assertNothingOutside();
  }

  @Test
  void anAbsoluteNameStaysInside() throws IOException {
    file(outside + "/evil", "x");
    unpack();
    assertNothingOutside();
  }

  @Test
  void nothingIsWrittenThroughALink() throws IOException {
    symlink("a", outside.toString());
    file("a/evil", "x");
    assertThrows(FileAlreadyExistsException.class, this::unpack);
    assertNothingOutside();
  }

  @Test
  void noLinkIsMadeThroughALink() throws IOException {
    symlink("a", outside.toString());
    symlink("a/evil", "x");
    assertThrows(FileAlreadyExistsException.class, this::unpack);
    assertNothingOutside();
  }

  @Test
  void noFolderIsMadeThroughALink() throws IOException {
    symlink("a", outside.toString());
    add("a/evil/", TarConstants.LF_DIR, "", "");
    assertThrows(IOException.class, this::unpack);
    assertNothingOutside();
  }

  @Test
  void aHardLinkLeadsToCopiedFilesOnly() throws IOException {
    Path secret = Files.writeString(scratch.resolve("target/../secret"), "mine").normalize();
    for (String to : new String[] {secret.toString(), "../secret", "missing"}) {
      archive.reset();
      TarArchiveOutputStream one = new TarArchiveOutputStream(archive);
      TarArchiveEntry link = new TarArchiveEntry("link", TarConstants.LF_LINK);
      link.setLinkName(to);
      one.putArchiveEntry(link);
      one.closeArchiveEntry();
      one.finish();
      assertThrows(
          RametException.class,
          () ->
              new TreeUnpacker(target, leftOut::add)
                  .unpack(new ByteArrayInputStream(archive.toByteArray())),
          to);
      assertFalse(Files.exists(target.resolve("link")));
    }
    assertEquals("mine", Files.readString(secret));
  }

  @Test
  void anArchiveThatEndsWithinAFileIsNoSuccess() throws IOException {
    file("f", "x".repeat(5000));
    tar.finish();
    byte[] half = java.util.Arrays.copyOf(archive.toByteArray(), 2048);
    assertThrows(
        IOException.class,
        () -> new TreeUnpacker(target, leftOut::add).unpack(new ByteArrayInputStream(half)));
  }

  @Test
  void mergingReplacesLinksAndDoesNotFollowThem() throws IOException {
    file("d/f", "new");
    unpack();
    Path place = Files.createDirectory(scratch.resolve("place"));
    Files.createSymbolicLink(place.resolve("d"), outside);
    assertThrows(RametException.class, () -> TreeMerge.move(target, place));
    Files.delete(place.resolve("d"));
    Files.createDirectory(place.resolve("d"));
    Files.createSymbolicLink(place.resolve("d/f"), outside.resolve("evil"));
    TreeMerge.move(target, place);
    assertEquals("new", Files.readString(place.resolve("d/f")));
    try (var names = Files.list(outside)) {
      assertEquals(List.of(), names.toList());
    }
  }
}
