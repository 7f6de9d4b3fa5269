// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Operator's tasks on the roots of a running host: check, clean up, measure, export and import. */
public interface Storage {
  /**
   * Checks everything below the roots: whether everything on record exists and is complete, and
   * what else is there. Things that are being created or deleted meanwhile are not findings. The
   * content of images is not read.
   *
   * @param repair whether to repair what can be repaired: leftovers are removed, lost links
   *     recreated
   */
  Report check(boolean repair);

  /**
   * Finds leftovers that nothing needs: half-created or half-deleted things, and remains of deleted
   * ones.
   *
   * @param dryRun whether only to report them, without removing any
   * @return the leftovers, each {@code POSSIBLE} or {@code DONE}
   */
  List<StorageFinding> collect(boolean dryRun);

  /**
   * Reports the space that each disk and memory image takes. Their dirty data is written back
   * first, because only then is it final which blocks they share.
   *
   * @param nodes receives each image, in the order of ids, one root after the other
   * @return the sums, one for each root
   */
  List<RootUsage> usage(Consumer<NodeUsage> nodes);

  /**
   * Writes a complete snapshot or template to a new directory outside the roots, to be kept or
   * moved to another host. The directory appears under its name only when it is durable. The
   * snapshot cannot be deleted meanwhile.
   *
   * @param idOrName id or name of the snapshot or template
   * @param directory an absolute path on the host that does not exist yet, in an existing directory
   * @param progress receives the progress on the calling thread, and can stop the export
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when the path is taken, {@code
   *     CONFLICT} for a snapshot that is still being written, {@code NO_SPACE} when the file system
   *     is full, {@code CORRUPT} when part of the snapshot is missing, {@code CANCELLED} when it
   *     was stopped
   */
  default Exchanged exportTo(String idOrName, Path directory, CopyProgress progress) {
    return exportTo(idOrName, null, directory, progress);
  }

  /**
   * Exports a snapshot or template like {@link #exportTo(String, Path, CopyProgress)}, or, if a
   * base is given, only its differences from that base. This increment can be imported on hosts
   * that have the base's content.
   *
   * @param since id or name of the base, any other snapshot or template of this host; null for a
   *     complete export
   * @throws dev.ramet.errors.RametException as for a complete export, and {@code INVALID_ARGUMENT}
   *     when the base is the snapshot itself
   */
  Exchanged exportTo(
      String idOrName, @Nullable String since, Path directory, CopyProgress progress);

  /**
   * Creates a snapshot or template, with a new id, from an export that {@link #exportTo} wrote. Its
   * sandbox and its source need not exist on this host; the base of an increment must.
   *
   * @param directory an absolute path on the host
   * @param name its name, or null for the name it had
   * @param progress receives the progress on the calling thread, and can stop the import
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when the directory is not an
   *     export, {@code CORRUPT} when something in it is missing or does not match its record,
   *     {@code UNSUPPORTED} when a newer version wrote it or its hypervisor is unknown here, {@code
   *     ALREADY_EXISTS} when the name is taken, {@code CANCELLED} when it was stopped, {@code
   *     NOT_FOUND} when the base of an increment is not on this host, {@code CONFLICT} when the
   *     base on this host has different content
   */
  default Exchanged importFrom(Path directory, @Nullable String name, CopyProgress progress) {
    return importFrom(directory, name, progress, IdListener.NONE);
  }

  /**
   * Imports like {@link #importFrom(Path, String, CopyProgress)}.
   *
   * @param ids receives the new snapshot's or template's id beforehand
   */
  Exchanged importFrom(
      Path directory, @Nullable String name, CopyProgress progress, IdListener ids);

  /**
   * The result of an export or import.
   *
   * @param id the snapshot's id on this host
   * @param name its name, or null
   * @param template whether it is a template
   * @param base id on this host of the base snapshot, or null for a complete export
   * @param directory the exported directory
   * @param files the number of files in it
   * @param sizeBytes the total size of those files
   * @param dataBytes the part of it that is not holes
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
   * The result of a check.
   *
   * @param findings the problems that were found
   * @param snapshots how many snapshots and templates were checked, including hidden ones
   * @param sandboxes how many sandboxes were checked
   * @param nodes how many disks and memory images were checked
   */
  record Report(List<StorageFinding> findings, int snapshots, int sandboxes, int nodes) {
    /** Copies the list. */
    public Report {
      findings = List.copyOf(findings);
    }
  }

  /**
   * The space that a disk or memory image takes.
   *
   * @param root the root it is in
   * @param id its id in the storage backend
   * @param owner id of the sandbox or snapshot it belongs to, or empty
   * @param ownerName the owner's name, or null
   * @param sizeBytes its size as a guest sees it
   * @param exclusiveBytes bytes that deleting it would free
   * @param referencedBytes bytes it takes, including those it shares with others
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
   * The space that a root takes.
   *
   * @param root the root's directory
   * @param backend id of its storage backend
   * @param nodes the number of disks and memory images in it
   * @param exclusiveBytes the sum of the exclusive bytes of all images
   * @param totalBytes the size of its file system
   * @param freeBytes the free space of its file system
   */
  record RootUsage(
      Path root,
      String backend,
      long nodes,
      long exclusiveBytes,
      long totalBytes,
      long freeBytes) {}
}
