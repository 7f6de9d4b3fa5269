// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.spi.storage.CopyProgress;
import dev.ramet.spi.storage.StorageFinding;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What an operator does with the roots of a running host. */
public interface Storage {
  /**
   * Looks through everything below the roots: whether all that is on record is there and whole, and
   * what else lies there. What is being made or deleted meanwhile is not a finding. The content of
   * images is not read.
   *
   * @param repair whether to put in order what can be: leftovers are removed, lost links made anew
   */
  Report check(boolean repair);

  /**
   * Finds what nothing needs: what was half-made or half-deleted, and what deleted things left.
   *
   * @param dryRun only tell
   * @return the leftovers, each {@code POSSIBLE} or {@code DONE}
   */
  List<StorageFinding> collect(boolean dryRun);

  /**
   * Tells what each disk and memory image takes. What is dirty of them is written first, since only
   * then it is final what they share.
   *
   * @param nodes told each, in the order of ids, one root after the other
   * @return the sums, one for each root
   */
  List<RootUsage> usage(Consumer<NodeUsage> nodes);

  /**
   * Writes a snapshot or template to a new directory outside the roots, whole, to be kept or taken
   * to another host. It appears under its name when it is durable, or not at all; the snapshot
   * stays while that lasts.
   *
   * @param idOrName of the snapshot or template
   * @param directory an absolute path on the host that is free, in a directory that is there
   * @param progress told how far it is, on the calling thread; can stop it
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when the path is taken, {@code
   *     CONFLICT} for a snapshot that is still being written, {@code NO_SPACE} when the file system
   *     is full, {@code CORRUPT} when something of the snapshot is gone, {@code CANCELLED} when it
   *     was stopped
   */
  default Exchanged exportTo(String idOrName, Path directory, CopyProgress progress) {
    return exportTo(idOrName, null, directory, progress);
  }

  /**
   * The same, or only what the snapshot has otherwise than another one, its base: then it is an
   * increment, for hosts that have the base's content.
   *
   * @param since id or name of the base, any other snapshot or template of this host; null to write
   *     the whole
   * @throws dev.ramet.errors.RametException as above, and {@code INVALID_ARGUMENT} when the base is
   *     the snapshot itself
   */
  Exchanged exportTo(
      String idOrName, @Nullable String since, Path directory, CopyProgress progress);

  /**
   * Makes a snapshot or template of what {@link #exportTo} wrote, with an id of its own. What it
   * was taken of, or created from, need not be here; what an increment builds on must be.
   *
   * @param directory an absolute path on the host
   * @param name its name, or null for the one it had
   * @param progress told how far it is, on the calling thread; can stop it
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when the directory is no
   *     export, {@code CORRUPT} when something in it is missing or is not what its record says,
   *     {@code UNSUPPORTED} when a newer version made it or its hypervisor is unknown here, {@code
   *     ALREADY_EXISTS} when the name is taken, {@code CANCELLED} when it was stopped, {@code
   *     NOT_FOUND} when what an increment builds on is not here, {@code CONFLICT} when what is here
   *     holds something else
   */
  Exchanged importFrom(Path directory, @Nullable String name, CopyProgress progress);

  /**
   * What was exported or imported.
   *
   * @param id the snapshot's id in this host
   * @param name its name, or null
   * @param template whether it is a template
   * @param base id in this host of the snapshot that it builds on, or null when it is whole
   * @param directory the exported directory
   * @param files how many files are in it
   * @param sizeBytes their sizes
   * @param dataBytes how much of that is not holes
   */
  record Exchanged(
      String id,
      @Nullable String name,
      boolean template,
      @Nullable String base,
      Path directory,
      int files,
      long sizeBytes,
      long dataBytes) {}

  /**
   * What a check found.
   *
   * @param findings what is not as it should be
   * @param snapshots how many snapshots and templates were looked at, hidden ones included
   * @param sandboxes how many sandboxes
   * @param nodes how many disks and memory images
   */
  record Report(List<StorageFinding> findings, int snapshots, int sandboxes, int nodes) {
    /** Copies the list. */
    public Report {
      findings = List.copyOf(findings);
    }
  }

  /**
   * What a disk or memory image takes.
   *
   * @param root the root it is in
   * @param id its id in the storage backend
   * @param owner the sandbox or snapshot it belongs to, or empty
   * @param ownerName that one's name, or null
   * @param sizeBytes its size as a guest sees it
   * @param exclusiveBytes what deleting it would free
   * @param referencedBytes what it takes together with what it shares with others
   */
  record NodeUsage(
      Path root,
      String id,
      String owner,
      @Nullable String ownerName,
      long sizeBytes,
      long exclusiveBytes,
      long referencedBytes) {}

  /**
   * What a root takes.
   *
   * @param root where it is
   * @param backend id of its storage backend
   * @param nodes how many disks and memory images are in it
   * @param exclusiveBytes the sum of what each has for itself
   * @param totalBytes the size of its file system
   * @param freeBytes what is free there
   */
  record RootUsage(
      Path root,
      String backend,
      long nodes,
      long exclusiveBytes,
      long totalBytes,
      long freeBytes) {}
}
