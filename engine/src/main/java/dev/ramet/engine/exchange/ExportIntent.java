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
 * A note in the root of a directory outside the root that an export is writing to. The next start
 * uses it to remove what a crash left there.
 *
 * @param note the directory of the note
 * @param partial the directory being written
 */
public record ExportIntent(Path note, Path partial) {
  private static final String FILE = "export.json";
  private static final String PREFIX = ".ramet-export-";

  /**
   * The note's content.
   *
   * @param partial the directory being written
   */
  private record Content(String partial) {}

  /** Writes the note durably, before the directory is created. */
  static ExportIntent begin(Layout layout, Path parent) throws IOException {
    String id = Ids.newId('x');
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
        intent.delete();
      }
    }
  }

  /** Removes the note: the directory no longer has this name. */
  void delete() {
    FileTrees.delete(note);
  }

  /** Removes the directory, then the note. If the directory cannot be removed, the note stays. */
  void rollBack() {
    FileTrees.delete(partial);
    delete();
  }

  /** Removes the partial export that the note in {@code scratch} names, if there is a note. */
  public static void removePartial(Path scratch) throws IOException {
    Path file = scratch.resolve(FILE);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Path partial = Path.of(String.valueOf(JsonFile.read(file, Content.class).partial()));
    // The name contains the note's own id, so the path cannot mean anything else.
    if (partial.isAbsolute() && partial.endsWith(PREFIX + scratch.getFileName())) {
      FileTrees.delete(partial);
    }
  }
}
