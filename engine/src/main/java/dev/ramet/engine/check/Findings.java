// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.engine.state.RootContents;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.storage.StorageFinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What a look through the roots has found so far, and how far to put it in order. */
final class Findings {
  private static final System.Logger LOG = System.getLogger(Findings.class.getName());

  /** What is younger may be on its way: an operation under way makes or deletes it. */
  private static final Duration YOUNG = Duration.ofMinutes(1);

  private static final String AT_START = "the next start of a host removes it";

  private final Mode mode;
  private final boolean atRest;
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

  /**
   * Nothing was found yet.
   *
   * @param atRest nobody works on the root, see {@link RootContents#atRest}
   */
  Findings(Mode mode, boolean atRest) {
    this.mode = mode;
    this.atRest = atRest;
  }

  /** None yet in the same root, where nothing is to be put in order. */
  Findings look() {
    return new Findings(Mode.LOOK, atRest);
  }

  /** Whether something was changed just now, or is gone; never where nobody works. */
  boolean isYoung(Path path) {
    return !isOlder(path, YOUNG);
  }

  /** Whether nobody has changed something for so long; where nobody works that is so. */
  boolean isOlder(Path path, Duration age) {
    if (atRest) {
      return true;
    }
    try {
      long changed = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toMillis();
      return System.currentTimeMillis() - changed > age.toMillis();
    } catch (IOException e) {
      return false;
    }
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

  /** A file that was being written in place of another one. */
  void temporary(Path path) {
    if (!isYoung(path)) {
      leftover(
          path, "a file that was not finished", bytesOf(path), () -> Files.deleteIfExists(path));
    }
  }

  /** A leftover in which a machine may still run, which only an engine can end. */
  void machines(Path path, String what, Mending removal) {
    if (atRest) {
      atStart(path, what);
    } else {
      leftover(path, what, bytesOf(path), removal);
    }
  }

  /** A leftover that a start clears away with what belongs to it, and nobody else. */
  void atStart(Path path, String what) {
    add(
        new StorageFinding(
            StorageFinding.Kind.LEFTOVER,
            path,
            what,
            AT_START,
            StorageFinding.Mending.NO,
            bytesOf(path)));
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
