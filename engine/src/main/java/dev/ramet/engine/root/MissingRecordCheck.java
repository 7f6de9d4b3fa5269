// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.support.Errors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes a root that has lost its record from a new one. The record is written before
 * anything else, so everything in a root was created while it had a record. Selecting a backend
 * again would hide all of that.
 */
public final class MissingRecordCheck {
  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  private MissingRecordCheck() {}

  /**
   * Refuses a directory that was a root.
   *
   * @param directory a directory without a record; it need not exist
   * @throws RametException {@code CORRUPT} when it contains parts of a root
   */
  public static void refuseIfLost(Path directory) {
    Layout layout = new Layout(directory);
    try {
      Path found = findContent(layout);
      if (found != null) {
        throw new RametException(
            ErrorCode.CORRUPT,
            directory
                + " was made by Ramet, because it contains "
                + found
                + ", but it has lost its "
                + layout.rootRecord().getFileName(),
            remedy(layout),
            null);
      }
    } catch (IOException e) {
      throw Errors.ioError("cannot look at " + directory, directory, e);
    }
  }

  private static @Nullable Path findContent(Layout layout) throws IOException {
    if (Files.exists(marker(layout))) {
      return marker(layout);
    }
    for (Path kept : new Path[] {layout.snapshots(), layout.sandboxes()}) {
      if (Files.isDirectory(kept)) {
        for (Path child : FileTrees.children(kept)) {
          return child;
        }
      }
    }
    return null;
  }

  /** Returns the marker that a file-based storage backend keeps next to its volumes. */
  private static Path marker(Layout layout) {
    return layout.root().resolve("volumes").resolve(".backend");
  }

  private static String remedy(Layout layout) {
    String backend = backend(layout);
    String whole =
        backend == null
            ? ""
            : "; if the memory images were in this root too, write into that file {\"format\": "
                + RootRecord.ONE_ROOT
                + ", \"storageBackend\": \""
                + backend
                + "\"}";
    return "restore " + layout.rootRecord() + whole + "; or use another data root";
  }

  private static @Nullable String backend(Layout layout) {
    Properties marker = new Properties();
    try (Reader reader = Files.newBufferedReader(marker(layout))) {
      marker.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      return null;
    }
    String id = marker.getProperty("backend", "");
    return ID.matcher(id).matches() ? id : null;
  }
}
