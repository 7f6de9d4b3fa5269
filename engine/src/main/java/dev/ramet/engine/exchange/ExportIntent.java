// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.support.Ids;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * A note, kept in the root while an export is being written, of the directory outside the root that
 * it is written to: what a crash leaves there is removed at the next start.
 *
 * @param note the directory of the note
 * @param partial the directory that is being filled
 */
public record ExportIntent(Path note, Path partial) {
  private static final String FILE = "export.json";
  private static final String PREFIX = ".ramet-export-";

  /**
   * What the note says.
   *
   * @param partial the directory that is being filled
   */
  private record Content(String partial) {}

  /** Notes it durably, before the directory is made. */
  static ExportIntent begin(Layout layout, Path parent) throws IOException {
    String id = Ids.next('x');
    Path note = Files.createDirectories(layout.builds().resolve(id));
    ExportIntent intent = new ExportIntent(note, parent.resolve(PREFIX + id));
    boolean noted = false;
    try {
      JsonFile.write(
          note.resolve(FILE), new Content(intent.partial().toString()), JsonFile.Care.DURABLE);
      FileTrees.sync(layout.builds());
      FileTrees.sync(layout.root());
      noted = true;
      return intent;
    } finally {
      if (!noted) {
        intent.forget();
      }
    }
  }

  /** The directory is there no longer under this name. */
  void forget() {
    FileTrees.delete(note);
  }

  /** Removes the directory, and then the note: what could not be removed is not forgotten. */
  void takeBack() {
    FileTrees.delete(partial);
    forget();
  }

  /** Removes what an export left that the note in {@code scratch}, if there is one, is about. */
  public static void undo(Path scratch) throws IOException {
    Path file = scratch.resolve(FILE);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Path partial = Path.of(String.valueOf(JsonFile.read(file, Content.class).partial()));
    // The name has the note's own id in it: nothing else can be meant.
    if (partial.isAbsolute() && partial.endsWith(PREFIX + scratch.getFileName())) {
      FileTrees.delete(partial);
    }
  }
}
