// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.tree.Tree;
import dev.ramet.linux.tree.TreeName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An open volume. Its directory holds the files that guests see, open files without names, uploads
 * and removals in progress, and the recent responses.
 *
 * <p>Thread-safe. Code that changes names or appends holds {@link #lock}, so that a repeated
 * request finds the first one either carried out or not begun.
 */
public final class OpenVolume implements AutoCloseable {
  private static final String FILES = "files";
  private static final String NAMELESS = "nameless";
  private static final String UPLOADS = "uploads";

  private final Path directory;
  private final Tree files;
  private final Tree nameless;
  private final Tree uploads;
  private final RequestJournal answers;
  private final Object lock = new Object();
  private int users = 1;

  private OpenVolume(
      Path directory, Tree files, Tree nameless, Tree uploads, RequestJournal answers) {
    this.directory = directory;
    this.files = files;
    this.nameless = nameless;
    this.uploads = uploads;
    this.answers = answers;
  }

  /** Creates the contents of an empty volume's directory. */
  static void make(Path directory) throws IOException, LinuxException {
    for (String name : new String[] {FILES, NAMELESS, UPLOADS}) {
      Files.createDirectories(directory.resolve(name));
    }
    try (Tree files = Tree.open(directory.resolve(FILES))) {
      // Any user of a guest may use it, like /tmp.
      files.setMode(new byte[0], 0x3FF);
    }
  }

  /** Opens a volume and removes unfinished uploads and removals. */
  static OpenVolume open(Path directory) throws IOException, LinuxException {
    Tree uploads = Tree.open(directory.resolve(UPLOADS));
    // Uploads and removals that were in progress when the host ended.
    TreeRemoval.removeContents(uploads);
    return new OpenVolume(
        directory,
        Tree.open(directory.resolve(FILES)),
        Tree.open(directory.resolve(NAMELESS)),
        uploads,
        RequestJournal.open(directory.resolve("answers")));
  }

  Path directory() {
    return directory;
  }

  /** Returns the files that guests see. */
  Tree files() {
    return files;
  }

  /** Returns the files without names, each under its identity in hexadecimal. */
  Tree nameless() {
    return nameless;
  }

  /** Returns the incomplete uploads and the entries being removed. */
  Tree uploads() {
    return uploads;
  }

  RequestJournal answers() {
    return answers;
  }

  Object lock() {
    return lock;
  }

  /** Removes files without names, which no guest has open. */
  void forgetNameless() throws LinuxException {
    for (TreeName name : nameless.list(new byte[0], Integer.MAX_VALUE)) {
      nameless.unlink(name.bytes());
    }
  }

  /** Adds a user: the volume stays open until that user closes it too. */
  synchronized OpenVolume shared() {
    users++;
    return this;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (--users > 0) {
        return;
      }
    }
    files.close();
    nameless.close();
    uploads.close();
    answers.close();
  }
}
