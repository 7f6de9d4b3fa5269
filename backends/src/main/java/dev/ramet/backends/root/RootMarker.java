// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.root;

import dev.ramet.backends.disk.Disk;
import dev.ramet.backends.disk.Layout;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Records the backend that a root belongs to, so that reopening never selects again: another
 * backend would mistake existing files for copies it made itself.
 */
final class RootMarker {
  private RootMarker() {}

  /** Writes the marker into an empty root, or checks the existing one. */
  static void claim(Layout layout, String backend, int format, Disk disk) throws LinuxException {
    Path marker = layout.marker();
    try {
      if (Files.exists(marker)) {
        check(marker, backend, format);
      } else {
        refuseContent(layout);
        write(disk, layout, "backend=" + backend + "\nformat=" + format + "\n");
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot read or write " + marker + ": " + e.getMessage(), e);
    }
  }

  /** Checks the marker, if there is one. */
  static void check(Layout layout, String backend, int format) {
    Path marker = layout.marker();
    try {
      if (Files.exists(marker)) {
        check(marker, backend, format);
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot read " + marker + ": " + e.getMessage(), e);
    }
  }

  private static void check(Path marker, String backend, int format) throws IOException {
    if (!Files.isRegularFile(marker)) {
      throw corrupt(marker, backend, format, null);
    }
    Properties found = new Properties();
    try (Reader reader = Files.newBufferedReader(marker)) {
      found.load(reader);
    } catch (IllegalArgumentException | CharacterCodingException e) {
      // Not properties, or no text at all.
      throw corrupt(marker, backend, format, e);
    }
    String id = found.getProperty("backend", "");
    int version;
    try {
      version = Integer.parseInt(found.getProperty("format", ""));
    } catch (NumberFormatException e) {
      throw corrupt(marker, backend, format, e);
    }
    if (id.isEmpty()) {
      throw corrupt(marker, backend, format, null);
    }
    if (!id.equals(backend)) {
      throw new RametException(
          ErrorCode.CONFLICT,
          marker.getParent() + " was made by the backend " + id + ", not by " + backend,
          "open it with " + id + ", or use another root",
          null);
    }
    if (version != format) {
      throw new RametException(
          ErrorCode.CONFLICT,
          marker.getParent()
              + " has format "
              + version
              + " of "
              + id
              + "; this version knows "
              + format,
          "use the version of Ramet that made it",
          null);
    }
  }

  private static RametException corrupt(
      Path marker, String backend, int format, @Nullable Throwable cause) {
    return new RametException(
        ErrorCode.CORRUPT,
        "not a backend's marker: " + marker,
        "if "
            + backend
            + " made this root, write backend="
            + backend
            + " and format="
            + format
            + " into it, on a line each",
        cause);
  }

  private static void refuseContent(Layout layout) throws IOException {
    try (DirectoryStream<Path> content = Files.newDirectoryStream(layout.volumes())) {
      for (Path path : content) {
        // A marker that was being written is the one thing that may be there before the marker.
        if (!path.getFileName().toString().equals(Layout.NEW + Layout.MARKER)) {
          throw new RametException(
              ErrorCode.CORRUPT,
              layout.volumes() + " is not empty and does not say which backend made it",
              "restore " + layout.marker() + ", or use another root",
              null);
        }
      }
    }
  }

  private static void write(Disk disk, Layout layout, String text) throws LinuxException {
    Path unfinished = layout.volumes().resolve(Layout.NEW + Layout.MARKER);
    disk.unlink(unfinished);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (Fd fd = disk.makeFile(unfinished, 0600)) {
      disk.steps().before("write the marker");
      fd.pwrite(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(), 0);
      disk.sync(fd);
    }
    disk.renameToNew(unfinished, layout.marker());
    disk.syncDirectory(layout.volumes());
    Path root = layout.volumes().getParent();
    if (root != null) {
      disk.syncDirectory(root);
    }
  }
}
