// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

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
