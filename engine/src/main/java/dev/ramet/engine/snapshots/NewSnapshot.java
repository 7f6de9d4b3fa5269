// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

import org.jspecify.annotations.Nullable;

/**
 * A request for a snapshot.
 *
 * @param sandboxId the sandbox to capture
 * @param name a name to find it by, optionally followed by a colon and a tag; or null. An existing
 *     snapshot of that name and tag is kept, but loses the tag to this one when this one is ready
 * @param description a sentence for people, at most 1000 characters, or null
 * @param memoryMode id of the only memory mode to use, or null to choose
 * @param untilReady whether to return only when the snapshot is durable, instead of as soon as the
 *     machine runs again
 * @param verify whether to compare the capture with all of the paused machine's memory, as {@code
 *     ramet.verify-captures} does for every capture
 * @param memory whether to capture memory and devices as well as the disk; if not, the guest's
 *     agent freezes its file systems while the disk is captured, and sandboxes of the snapshot boot
 * @param replaces id or name of an older snapshot of the same sandbox that this one replaces, or
 *     null; see {@code ramet.memory-volumes}
 */
public record NewSnapshot(
    String sandboxId,
    @Nullable String name,
    @Nullable String description,
    @Nullable String memoryMode,
    boolean untilReady,
    boolean verify,
    boolean memory,
    @Nullable String replaces) {
  /** Returns this request with another snapshot to replace. */
  public NewSnapshot replacing(@Nullable String snapshot) {
    return new NewSnapshot(
        sandboxId, name, description, memoryMode, untilReady, verify, memory, snapshot);
  }

  /** Returns this request with a sentence for people. */
  public NewSnapshot describedAs(@Nullable String text) {
    return new NewSnapshot(sandboxId, name, text, memoryMode, untilReady, verify, memory, replaces);
  }

  /** Returns this request with the only memory mode that it allows. */
  public NewSnapshot by(@Nullable String mode) {
    return new NewSnapshot(
        sandboxId, name, description, mode, untilReady, verify, memory, replaces);
  }

  /** Returns this request for a caller that does not wait until the snapshot is ready. */
  public NewSnapshot withoutWaiting() {
    return new NewSnapshot(
        sandboxId, name, description, memoryMode, false, verify, memory, replaces);
  }

  /** Returns this request for a capture that is compared with all of the machine's memory. */
  public NewSnapshot verified() {
    return new NewSnapshot(
        sandboxId, name, description, memoryMode, untilReady, true, memory, replaces);
  }

  /** Returns this request for the disk alone. */
  public NewSnapshot withoutMemory() {
    return new NewSnapshot(
        sandboxId, name, description, memoryMode, untilReady, verify, false, replaces);
  }

  /** Creates a request that uses the best available memory mode, with an optional name. */
  public static NewSnapshot named(String sandboxId, @Nullable String name) {
    return new NewSnapshot(sandboxId, name, null, null, true, false, true, null);
  }
}
