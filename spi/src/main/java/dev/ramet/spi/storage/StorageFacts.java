// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.spi.Facts;
import dev.ramet.spi.storage.image.CopyCost;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The facts about a storage backend.
 *
 * @param copy the cost of a snapshot or fork
 * @param layeredReads whether a read may have to search several layers, so that it becomes slower
 *     with the number of copies below a volume
 * @param movesOnWrite whether a block is written to another place even if nothing shares it, so
 *     that images fragment while guests write
 * @param features the optional abilities
 * @param attachments the kinds of attachments it hands out, at least one. A hypervisor must take
 *     all of them
 */
public record StorageFacts(
    CopyCost copy,
    boolean layeredReads,
    boolean movesOnWrite,
    Set<StorageFeature> features,
    Set<Attachment.Kind> attachments)
    implements Facts {
  private static final String COPY_ON_WRITE = "copy-on-write";

  /** Copies the sets. */
  public StorageFacts {
    features = Set.copyOf(features);
    attachments = Set.copyOf(attachments);
  }

  /** Creates the facts of a backend whose attachments are files. */
  public StorageFacts(
      CopyCost copy, boolean layeredReads, boolean movesOnWrite, Set<StorageFeature> features) {
    this(copy, layeredReads, movesOnWrite, features, Set.of(Attachment.Kind.FILE));
  }

  /** Returns these facts with other kinds of attachments. */
  public StorageFacts attaching(Attachment.Kind... kinds) {
    return new StorageFacts(copy, layeredReads, movesOnWrite, features, Set.of(kinds));
  }

  /** Returns the facts of a backend that copies all data of a snapshot or fork. */
  public static StorageFacts copying(Set<StorageFeature> features) {
    return new StorageFacts(CopyCost.PER_BYTE, false, false, features);
  }

  /**
   * Returns whether a snapshot or fork shares its source's blocks until one of them is written, so
   * that it costs neither the time nor the space of copying them.
   */
  public boolean copyOnWrite() {
    return copy != CopyCost.PER_BYTE;
  }

  @Override
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>();
    features.forEach(feature -> names.add(feature.toString()));
    if (copyOnWrite()) {
      names.add(COPY_ON_WRITE);
    }
    return names;
  }
}
