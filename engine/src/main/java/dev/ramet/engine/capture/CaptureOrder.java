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
 * @param label its name, tags and description
 * @param origin the template it comes from
 * @param memoryMode the only memory mode the caller allows, or null
 * @param verify whether to compare the capture with all of the paused machine's memory
 * @param durability whether it must survive a loss of power
 * @param replaces id of the snapshot to delete in its favour, or null
 */
public record CaptureOrder(
    String id,
    SnapshotRecord.Kind kind,
    Label label,
    Origin origin,
    @Nullable String memoryMode,
    boolean verify,
    Durability durability,
    @Nullable String replaces) {
  /**
   * The name, tags and description of a capture.
   *
   * @param version its name and tags, or null
   * @param description a sentence for people, or null
   */
  public record Label(@Nullable TaggedName version, @Nullable String description) {
    /** For captures that belong to an operation. */
    static final Label NONE = new Label(null, null);
  }

  /**
   * The template that a capture comes from, or the content of the template that it becomes.
   *
   * @param templateId the template the sandbox was created from, or null
   * @param contentKey key of the content a template was built from, or null
   */
  public record Origin(@Nullable String templateId, @Nullable String contentKey) {}

  /** Creates the order for a capture that belongs to an operation and is never shown. */
  public static CaptureOrder hidden(
      String id,
      SnapshotRecord.Kind kind,
      String templateId,
      @Nullable String memoryMode,
      Durability durability) {
    return new CaptureOrder(
        id, kind, Label.NONE, new Origin(templateId, null), memoryMode, false, durability, null);
  }

  /** Creates the order for a template. */
  public static CaptureOrder template(String id, TaggedName version, @Nullable String contentKey) {
    return new CaptureOrder(
        id,
        SnapshotRecord.Kind.TEMPLATE,
        new Label(version, null),
        new Origin(null, contentKey),
        null,
        false,
        Durability.DURABLE,
        null);
  }

  /** Returns this part of {@link #label}. */
  public @Nullable TaggedName version() {
    return label.version();
  }

  /** Returns this part of {@link #label}. */
  public @Nullable String description() {
    return label.description();
  }

  /** Returns this part of {@link #origin}. */
  public @Nullable String templateId() {
    return origin.templateId();
  }

  /** Returns this part of {@link #origin}. */
  public @Nullable String contentKey() {
    return origin.contentKey();
  }

  /** Creates the order for a snapshot that a caller requested. */
  public static CaptureOrder forRequest(
      String id, NewSnapshot request, String templateId, Durability durability) {
    return new CaptureOrder(
        id,
        SnapshotRecord.Kind.SNAPSHOT,
        new Label(TaggedName.ofNullable("name", request.name()), request.description()),
        new Origin(templateId, null),
        request.memoryMode(),
        request.verify(),
        durability,
        request.replaces());
  }
}
