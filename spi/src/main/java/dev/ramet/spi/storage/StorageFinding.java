// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.nio.file.Path;

/**
 * Something in a storage root that is not as it should be.
 *
 * @param kind what kind of thing it is
 * @param path what it is about
 * @param what what is the matter, in one sentence for people
 * @param remedy what to do about it
 * @param mending whether Ramet can put it in order by itself
 * @param bytes what it takes on disk, where that would come free; 0 where not or not known
 */
public record StorageFinding(
    Kind kind, Path path, String what, String remedy, Mending mending, long bytes) {
  /** What kind of thing was found. */
  public enum Kind {
    /** Something that somebody relies on is lost or not what it should be. */
    DAMAGE,
    /** Half-made or half-deleted by Ramet: nobody was told of it, or somebody that it is gone. */
    LEFTOVER,
    /** Not made by Ramet, or not to be explained. It is never touched. */
    FOREIGN
  }

  /** Whether Ramet can put it in order by itself. */
  public enum Mending {
    /** No. */
    NO,
    /** Yes, if it is told to. */
    POSSIBLE,
    /** It was done just now. */
    DONE
  }

  private static final String RESTORE = "restore it from a backup, or delete what needs it";
  private static final String MOVE = "move it away if it is yours; Ramet leaves it alone";
  private static final String REMOVE = "ramet storage gc removes it";

  /** Damage that only the operator can do something about. */
  public static StorageFinding damage(Path path, String what) {
    return damage(path, what, RESTORE);
  }

  /** The same with a remedy of its own. */
  public static StorageFinding damage(Path path, String what, String remedy) {
    return new StorageFinding(Kind.DAMAGE, path, what, remedy, Mending.NO, 0);
  }

  /** Something that Ramet did not make. */
  public static StorageFinding foreign(Path path, String what) {
    return new StorageFinding(Kind.FOREIGN, path, what, MOVE, Mending.NO, 0);
  }

  /** Something that Ramet can remove. */
  public static StorageFinding leftover(Path path, String what, long bytes) {
    return new StorageFinding(Kind.LEFTOVER, path, what, REMOVE, Mending.POSSIBLE, bytes);
  }

  /** The same, put in order. */
  public StorageFinding mended() {
    return new StorageFinding(
        kind, path, what, "nothing: it was put in order", Mending.DONE, bytes);
  }
}
