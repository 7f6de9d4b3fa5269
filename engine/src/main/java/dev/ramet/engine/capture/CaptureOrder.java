// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.spi.storage.Durability;
import org.jspecify.annotations.Nullable;

/**
 * A capture to make, and how to record it.
 *
 * @param id the new snapshot's id
 * @param kind its kind
 * @param version its name and tags, or null
 * @param description a sentence for people, or null
 * @param templateId the template the sandbox was created from, or null
 * @param contentKey key of the content a template was built from, or null
 * @param memoryMode the only memory mode the caller allows, or null
 * @param verify whether to compare the capture with all of the paused machine's memory
 * @param durability whether it must survive a loss of power
 * @param replaces id of the snapshot to delete in its favour, or null
 */
public record CaptureOrder(
    String id,
    SnapshotRecord.Kind kind,
    @Nullable TaggedName version,
    @Nullable String description,
    @Nullable String templateId,
    @Nullable String contentKey,
    @Nullable String memoryMode,
    boolean verify,
    Durability durability,
    @Nullable String replaces) {
  /** Creates the order for a snapshot that a caller requested. */
  public static CaptureOrder of(
      String id, NewSnapshot request, String templateId, Durability durability) {
    return new CaptureOrder(
        id,
        SnapshotRecord.Kind.SNAPSHOT,
        TaggedName.ofNullable("name", request.name()),
        request.description(),
        templateId,
        null,
        request.memoryMode(),
        request.verify(),
        durability,
        request.replaces());
  }
}
