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

/** Collects the findings of a check, and repairs them as far as its mode allows. */
final class FindingCollector {
  private static final System.Logger LOG = System.getLogger(FindingCollector.class.getName());

  /** Age below which an entry is ignored: an operation under way may be making or deleting it. */
  private static final Duration YOUNG = Duration.ofMinutes(1);

  private static final String AT_START = "the next start of a host removes it";

  private final Mode mode;
  private final boolean atRest;
  private final List<StorageFinding> all = new ArrayList<>();

  /** How much a check may change. */
  enum Mode {
    /** Changes nothing. */
    LOOK,
    /** Removes leftovers. */
    COLLECT,
    /** Removes leftovers, and recreates lost files that can be derived from others. */
    REPAIR
  }

  /**
   * Creates an empty collection.
   *
   * @param atRest whether no engine uses the root, see {@link RootContents#atRest}
   */
  FindingCollector(Mode mode, boolean atRest) {
    this.mode = mode;
    this.atRest = atRest;
  }

  /** Returns an empty collection for the same root that changes nothing. */
  FindingCollector withoutRepair() {
    return new FindingCollector(Mode.LOOK, atRest);
  }

  /**
   * Returns whether an entry changed recently or is gone. Always false if no engine uses the root.
   */
  boolean isYoung(Path path) {
    return !isOlder(path, YOUNG);
  }

  /**
   * Returns whether an entry has not changed for this long. Always true if no engine uses the root.
   */
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

  boolean deletesLeftovers() {
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

  /** A repair. */
  interface Repair {
    void run() throws IOException;
  }

  /** Adds a leftover, which nothing needs, and removes it if the mode allows. */
  void leftover(Path path, String what, long bytes, Repair removal) {
    StorageFinding finding = StorageFinding.leftover(path, what, bytes);
    add(mode == Mode.LOOK ? finding : repair(finding, removal));
  }

  /** Adds an unfinished file that was to replace another one. */
  void temporary(Path path) {
    if (!isYoung(path)) {
      leftover(
          path, "a file that was not finished", bytesOf(path), () -> Files.deleteIfExists(path));
    }
  }

  /**
   * Adds a leftover in which a machine may still run. Only a running engine can end the machine.
   */
  void machines(Path path, String what, Repair removal) {
    if (atRest) {
      atStart(path, what);
    } else {
      leftover(path, what, bytesOf(path), removal);
    }
  }

  /** Adds a leftover that only a start removes, together with everything that belongs to it. */
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

  /** Adds a lost file that can be derived from others, and recreates it if the mode allows. */
  void recreatable(Path path, String what, Repair making) {
    StorageFinding finding =
        new StorageFinding(
            StorageFinding.Kind.DAMAGE,
            path,
            what,
            "ramet storage check --repair recreates it",
            StorageFinding.Mending.POSSIBLE,
            0);
    add(mode == Mode.REPAIR ? repair(finding, making) : finding);
  }

  private static StorageFinding repair(StorageFinding finding, Repair mending) {
    try {
      mending.run();
      LOG.log(System.Logger.Level.INFO, "repaired {0}: {1}", finding.path(), finding.what());
      return finding.mended();
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot repair " + finding.path(), e);
      return new StorageFinding(
          finding.kind(),
          finding.path(),
          finding.what() + "; it could not be repaired: " + e.getMessage(),
          finding.remedy(),
          StorageFinding.Mending.POSSIBLE,
          finding.bytes());
    }
  }

  /** Returns the disk space of a file or tree; 0 if it disappears meanwhile. */
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
