// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.store;

import dev.ramet.engine.CaptureReport;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a snapshot or template.
 *
 * @param id its id, also the name of its directory
 * @param kind what it is for
 * @param name a person's name for it, or null
 * @param description a sentence for people, or null
 * @param createdAt the instant it holds
 * @param sandboxId what it was taken of, or null
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
 */
public record SnapshotRecord(
    String id,
    Kind kind,
    @Nullable String name,
    @Nullable String description,
    Instant createdAt,
    @Nullable String sandboxId,
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
    boolean pending) {
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

  /** The same, brought into another root, where its disk may be a little larger. */
  public SnapshotRecord imported(
      String newId, @Nullable String newName, long newDiskBytes, ImageContent newContent) {
    return new SnapshotRecord(
        newId,
        kind,
        newName,
        description,
        createdAt,
        sandboxId,
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
        false);
  }

  /** The same, deleted and no longer pending. */
  public SnapshotRecord asDeleted() {
    return new SnapshotRecord(
        id,
        kind,
        name,
        description,
        createdAt,
        sandboxId,
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
        true,
        false);
  }
}
