// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.PathCalls;
import dev.ramet.spi.storage.StorageFinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a look through the roots has found so far, and how far to put it in order. */
final class Findings {
  private static final System.Logger LOG = System.getLogger(Findings.class.getName());

  private final Mode mode;
  private final List<StorageFinding> all = new ArrayList<>();

  /** How far to put things in order. */
  enum Mode {
    /** Not at all. */
    LOOK,
    /** Leftovers are removed. */
    COLLECT,
    /** And what can be derived from something else is made anew. */
    REPAIR
  }

  Findings(Mode mode) {
    this.mode = mode;
  }

  List<StorageFinding> all() {
    return List.copyOf(all);
  }

  boolean collects() {
    return mode != Mode.LOOK;
  }

  void add(StorageFinding finding) {
    all.add(finding);
  }

  void damage(Path path, String what) {
    add(StorageFinding.damage(path, what));
  }

  void foreign(Path path, String what) {
    add(StorageFinding.foreign(path, what));
  }

  /** Puts one thing in order. */
  interface Mending {
    void run() throws IOException;
  }

  /** Something that nothing needs, and how it is removed. */
  void leftover(Path path, String what, long bytes, Mending removal) {
    StorageFinding finding = StorageFinding.leftover(path, what, bytes);
    add(mode == Mode.LOOK ? finding : mend(finding, removal));
  }

  /** Something that is lost, and how it is made anew from what is there. */
  void derivable(Path path, String what, Mending making) {
    StorageFinding finding =
        new StorageFinding(
            StorageFinding.Kind.DAMAGE,
            path,
            what,
            "ramet storage check --repair makes it anew",
            StorageFinding.Mending.POSSIBLE,
            0);
    add(mode == Mode.REPAIR ? mend(finding, making) : finding);
  }

  private static StorageFinding mend(StorageFinding finding, Mending mending) {
    try {
      mending.run();
      LOG.log(System.Logger.Level.INFO, "put in order: {0}: {1}", finding.path(), finding.what());
      return finding.mended();
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot put in order: " + finding.path(), e);
      return new StorageFinding(
          finding.kind(),
          finding.path(),
          finding.what() + "; it could not be put in order: " + e.getMessage(),
          finding.remedy(),
          StorageFinding.Mending.POSSIBLE,
          finding.bytes());
    }
  }

  /** What a file or tree takes on disk; 0 when it goes meanwhile. */
  static long bytesOf(Path path) {
    try (Stream<Path> tree = Files.walk(path)) {
      long sum = 0;
      for (Path each : (Iterable<Path>) tree::iterator) {
        sum += PathCalls.stat(each).allocatedBytes();
      }
      return sum;
    } catch (IOException | UncheckedIOException | LinuxException e) {
      return 0;
    }
  }
}
