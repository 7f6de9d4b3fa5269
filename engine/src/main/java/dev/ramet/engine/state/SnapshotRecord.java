// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.CaptureReport;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a snapshot or template.
 *
 * @param id its id, also the name of its directory
 * @param kind what it is for
 * @param name a person's name for it, which others of its kind may have too; or null
 * @param tags what tells it from those, and since when; where two claim one tag, the later has it.
 *     A manifest without any is one of before there were tags: it is the default of its name
 * @param description a sentence for people, or null
 * @param createdAt the instant it holds
 * @param sandboxId what it was taken of, or null
 * @param machine number of the machine that sandbox had, or null when that does not matter here: it
 *     was imported, or its manifest is older
 * @param templateId what that was created from, or null
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param diskBytes virtual size of the disk
 * @param kernelArguments the kernel command line
 * @param agentPort the guest agent's port, or null when the guest has none
 * @param warm whether there are devices and a memory image
 * @param identity what the device state depends on; null when not warm
 * @param capture how it was taken; null when not warm
 * @param contentKey what a template was built from, or null
 * @param content what its images held when it was imported; null when it was made here
 * @param deleted it was deleted; its files wait for the last sandbox that needs them
 * @param pending its clones are not all made yet: after a crash they are taken back
 * @param hostSecret what the agent in its memory knows its host by; null when there is none, it is
 *     older, or it cannot tell its host from others
 */
public record SnapshotRecord(
    String id,
    Kind kind,
    @Nullable String name,
    Map<String, Instant> tags,
    @Nullable String description,
    Instant createdAt,
    @Nullable String sandboxId,
    @Nullable Integer machine,
    @Nullable String templateId,
    int cpuCount,
    long memoryBytes,
    long diskBytes,
    String kernelArguments,
    @Nullable Integer agentPort,
    boolean warm,
    @Nullable VmIdentity identity,
    @Nullable CaptureReport capture,
    @Nullable String contentKey,
    @Nullable ImageContent content,
    boolean deleted,
    boolean pending,
    @Nullable HostSecret hostSecret) {
  /** Copies the tags, and knows those of an older manifest. */
  public SnapshotRecord {
    tags = tags(name, tags, createdAt);
  }

  private static Map<String, Instant> tags(
      @Nullable String name, @Nullable Map<String, Instant> tags, @Nullable Instant createdAt) {
    if (name == null) {
      return Map.of();
    }
    if (tags != null) {
      tags.values().forEach(java.util.Objects::requireNonNull);
      return Collections.unmodifiableMap(new TreeMap<>(tags));
    }
    return createdAt == null ? Map.of() : Map.of(TaggedName.DEFAULT, createdAt);
  }

  /** What a capture is for. */
  public enum Kind {
    /** A machine to start from. */
    TEMPLATE,
    /** Asked for by a user. */
    SNAPSHOT,
    /** The common start of clones; never shown. */
    CLONE_BASE,
    /** What a paused sandbox goes on from; never shown. */
    PAUSE;

    /** Whether it belongs to an operation rather than to a user. */
    public boolean hidden() {
      return this == CLONE_BASE || this == PAUSE;
    }

    /** Whether the captured machine runs on, so that it may be captured again. */
    public boolean machineGoesOn() {
      return this == SNAPSHOT || this == CLONE_BASE;
    }
  }

  /**
   * The same, brought into another root, where its disk may be a little larger.
   *
   * @param version what it is called there, or null for nothing
   */
  public SnapshotRecord imported(
      String newId, @Nullable TaggedName version, long newDiskBytes, ImageContent newContent) {
    return new SnapshotRecord(
        newId,
        kind,
        version == null ? null : version.alias(),
        version == null ? Map.of() : version.assigned(createdAt),
        description,
        createdAt,
        sandboxId,
        null,
        templateId,
        cpuCount,
        memoryBytes,
        newDiskBytes,
        kernelArguments,
        agentPort,
        warm,
        identity,
        capture,
        contentKey,
        newContent,
        false,
        false,
        hostSecret);
  }

  /** The same, deleted and no longer pending. */
  public SnapshotRecord asDeleted() {
    return with(tags, true, false);
  }

  /** The same as it was before it was deleted. */
  public SnapshotRecord restored() {
    return with(tags, false, pending);
  }

  /** The same with other tags. */
  public SnapshotRecord tagged(Map<String, Instant> newTags) {
    return with(newTags, deleted, pending);
  }

  private SnapshotRecord with(
      Map<String, Instant> newTags, boolean nowDeleted, boolean stillPending) {
    return new SnapshotRecord(
        id,
        kind,
        name,
        newTags,
        description,
        createdAt,
        sandboxId,
        machine,
        templateId,
        cpuCount,
        memoryBytes,
        diskBytes,
        kernelArguments,
        agentPort,
        warm,
        identity,
        capture,
        contentKey,
        content,
        nowDeleted,
        stillPending,
        hostSecret);
  }
}
