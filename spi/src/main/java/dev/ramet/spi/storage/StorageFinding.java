// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import java.nio.file.Path;

/**
 * A problem found in a storage root.
 *
 * @param kind the kind of problem
 * @param path the file or directory it is about
 * @param what the problem in one sentence for people
 * @param remedy what to do about it
 * @param mending whether Ramet can repair it by itself
 * @param bytes the disk space that removing it would free; 0 if none or not known
 */
public record StorageFinding(
    Kind kind, Path path, String what, String remedy, Mending mending, long bytes) {
  /** The kind of a problem. */
  public enum Kind {
    /** Something that is needed is lost or not as it should be. */
    DAMAGE,
    /**
     * Half-made or half-deleted by Ramet: nobody was told that it exists, or somebody was told that
     * it is gone.
     */
    LEFTOVER,
    /** Not made by Ramet, or of unknown origin. It is never touched. */
    FOREIGN
  }

  /** Whether Ramet can repair a problem by itself. */
  public enum Mending {
    /** No. */
    NO,
    /** Yes, on request. */
    POSSIBLE,
    /** It has just been repaired. */
    DONE
  }

  private static final String RESTORE = "restore it from a backup, or delete what needs it";
  private static final String MOVE = "move it away if it is yours; Ramet leaves it alone";
  private static final String REMOVE = "ramet storage gc removes it";

  /** Creates a finding of damage that only the operator can repair. */
  public static StorageFinding damage(Path path, String what) {
    return damage(path, what, RESTORE);
  }

  /** Creates a finding of damage with the given remedy. */
  public static StorageFinding damage(Path path, String what, String remedy) {
    return new StorageFinding(Kind.DAMAGE, path, what, remedy, Mending.NO, 0);
  }

  /** Creates a finding of something that Ramet did not make. */
  public static StorageFinding foreign(Path path, String what) {
    return new StorageFinding(Kind.FOREIGN, path, what, MOVE, Mending.NO, 0);
  }

  /** Creates a finding of something that Ramet can remove. */
  public static StorageFinding leftover(Path path, String what, long bytes) {
    return new StorageFinding(Kind.LEFTOVER, path, what, REMOVE, Mending.POSSIBLE, bytes);
  }

  /** Returns this finding, marked as repaired. */
  public StorageFinding mended() {
    return new StorageFinding(kind, path, what, "nothing: it was repaired", Mending.DONE, bytes);
  }
}
