// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.tree.Tree;
import dev.ramet.linux.tree.TreeName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A volume whose files can be used. Its directory holds what guests see, files without names that
 * guests have open, what comes and goes, and the last answers.
 *
 * <p>Thread-safe. Whoever changes names, or appends, holds {@link #lock}, so that a request that
 * comes again finds the first one carried out or not begun.
 */
public final class OpenVolume implements AutoCloseable {
  private static final String FILES = "files";
  private static final String NAMELESS = "nameless";
  private static final String UPLOADS = "uploads";

  private final Path directory;
  private final Tree files;
  private final Tree nameless;
  private final Tree uploads;
  private final Answers answers;
  private final Object lock = new Object();
  private int users = 1;

  private OpenVolume(Path directory, Tree files, Tree nameless, Tree uploads, Answers answers) {
    this.directory = directory;
    this.files = files;
    this.nameless = nameless;
    this.uploads = uploads;
    this.answers = answers;
  }

  /** Makes what an empty volume's directory holds. */
  static void make(Path directory) throws IOException, LinuxException {
    for (String name : new String[] {FILES, NAMELESS, UPLOADS}) {
      Files.createDirectories(directory.resolve(name));
    }
    try (Tree files = Tree.open(directory.resolve(FILES))) {
      // Any user of a guest may use it, as a directory for what is temporary.
      files.setMode(new byte[0], 0x3FF);
    }
  }

  /** Opens it. */
  static OpenVolume open(Path directory) throws IOException, LinuxException {
    Tree uploads = Tree.open(directory.resolve(UPLOADS));
    // What was being uploaded, or removed, when the host ended.
    Emptying.all(uploads);
    return new OpenVolume(
        directory,
        Tree.open(directory.resolve(FILES)),
        Tree.open(directory.resolve(NAMELESS)),
        uploads,
        Answers.open(directory.resolve("answers")));
  }

  Path directory() {
    return directory;
  }

  /** What guests see. */
  Tree files() {
    return files;
  }

  /** Files without names, by the identity of each in hexadecimal. */
  Tree nameless() {
    return nameless;
  }

  /** Files that are not complete yet, and what is being removed. */
  Tree uploads() {
    return uploads;
  }

  Answers answers() {
    return answers;
  }

  Object lock() {
    return lock;
  }

  /** Removes files without names: nobody has any open. */
  void forgetNameless() throws LinuxException {
    for (TreeName name : nameless.list(new byte[0], Integer.MAX_VALUE)) {
      nameless.unlink(name.bytes());
    }
  }

  /** Has it stay open for one more user, until that one closes it. */
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
