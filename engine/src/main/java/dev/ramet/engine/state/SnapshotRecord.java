// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.snapshots.CaptureReport;
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
 * @param name the name a person gave it, which others of its kind may share; or null
 * @param tags the tags that identify it among those, with the time of assignment; when two claim
 *     one tag, the later has it. A manifest without tags is older than tags, and has the default
 *     tag of its name
 * @param description a sentence for people, or null
 * @param createdAt the instant it holds
 * @param sandboxId the sandbox it was taken of, or null
 * @param machine number of the machine that sandbox had; null when that is not known, because it
 *     was imported or its manifest is older
 * @param templateId id of the template or snapshot that sandbox was created from, or null
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param diskBytes virtual size of the disk
 * @param kernelArguments the kernel command line
 * @param agentPort the guest agent's port, or null when the guest has none
 * @param warm whether it has device state and a memory image
 * @param identity properties of the VM that the device state depends on; null when not warm
 * @param capture how it was captured; null when not warm
 * @param contentKey identifies the content a template was built from, or null
 * @param content checksums of its images when it was imported; null when it was made here
 * @param deleted whether it was deleted; its files wait for the last sandbox that needs them
 * @param pending whether some of its clones are not created yet: after a crash they are removed
 * @param hostSecret the secret by which the agent in its memory recognizes the host; null when
 *     there is no agent, the record is older, or the agent cannot tell its host from others
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
  /** Copies the tags, and fills in the tag of an older manifest. */
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

  /** The purpose of a capture. */
  public enum Kind {
    /** A template, from which sandboxes start. */
    TEMPLATE,
    /** A snapshot that a user requested. */
    SNAPSHOT,
    /** The common start of clones; never shown. */
    CLONE_BASE,
    /** The state that a paused sandbox resumes from; never shown. */
    PAUSE;

    /** Returns whether it belongs to an operation rather than to a user. */
    public boolean hidden() {
      return this == CLONE_BASE || this == PAUSE;
    }

    /** Returns whether the captured machine keeps running, so that it may be captured again. */
    public boolean machineContinues() {
      return this == SNAPSHOT || this == CLONE_BASE;
    }
  }

  /**
   * Returns this record as imported into another root, where its disk may be slightly larger.
   *
   * @param version its name and tags there, or null for none
   */
  public SnapshotRecord imported(
      String newId, @Nullable TaggedName version, long newDiskBytes, ImageContent newContent) {
    return toBuilder()
        .id(newId)
        .name(version == null ? null : version.alias())
        .tags(version == null ? Map.of() : version.assigned(createdAt))
        .machine(null)
        .diskBytes(newDiskBytes)
        .content(newContent)
        .deleted(false)
        .pending(false)
        .build();
  }

  /** Returns this record marked deleted and no longer pending. */
  public SnapshotRecord asDeleted() {
    return toBuilder().deleted(true).pending(false).build();
  }

  /** Returns this record without its deletion mark. */
  public SnapshotRecord restored() {
    return toBuilder().deleted(false).build();
  }

  /** Returns this record with other tags. */
  public SnapshotRecord tagged(Map<String, Instant> newTags) {
    return toBuilder().tags(newTags).build();
  }

  /** Returns an empty builder. */
  public static SnapshotRecordBuilder builder() {
    return new SnapshotRecordBuilder();
  }

  /** Returns a builder with the components of this record. */
  public SnapshotRecordBuilder toBuilder() {
    return builder()
        .id(id)
        .kind(kind)
        .name(name)
        .tags(tags)
        .description(description)
        .createdAt(createdAt)
        .sandboxId(sandboxId)
        .machine(machine)
        .templateId(templateId)
        .cpuCount(cpuCount)
        .memoryBytes(memoryBytes)
        .diskBytes(diskBytes)
        .kernelArguments(kernelArguments)
        .agentPort(agentPort)
        .warm(warm)
        .identity(identity)
        .capture(capture)
        .contentKey(contentKey)
        .content(content)
        .deleted(deleted)
        .pending(pending)
        .hostSecret(hostSecret);
  }
}
