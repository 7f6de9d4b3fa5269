// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import org.jspecify.annotations.Nullable;

/**
 * A request for a snapshot.
 *
 * @param sandboxId what to capture
 * @param name a name to find it by, with a tag behind a colon or without; or null. Another snapshot
 *     of that name and tag stays, and loses the tag to this one when it is ready
 * @param description a sentence for people, at most 1000 characters, or null
 * @param memoryMode id of the only memory mode to use, or null to choose
 * @param untilReady answer when the snapshot is durable, rather than as soon as the machine runs
 *     again
 * @param verify whether to compare the capture with all of the paused machine's memory, as {@link
 *     EngineConfig#verifyCaptures} has it for every capture
 * @param memory whether to capture memory and devices as well; without, the guest's agent freezes
 *     its file systems while the disk is captured, and what starts from it boots
 * @param replaces id or name of an older snapshot of the same sandbox that is given up for this
 *     one, or null; see {@link EngineConfig.MemoryVolumes}
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
  /** In the place of no other. */
  public NewSnapshot(
      String sandboxId,
      @Nullable String name,
      @Nullable String description,
      @Nullable String memoryMode,
      boolean untilReady,
      boolean verify,
      boolean memory) {
    this(sandboxId, name, description, memoryMode, untilReady, verify, memory, null);
  }

  /** Verified where every capture is. */
  public NewSnapshot(
      String sandboxId,
      @Nullable String name,
      @Nullable String description,
      @Nullable String memoryMode,
      boolean untilReady) {
    this(sandboxId, name, description, memoryMode, untilReady, false, true);
  }

  /** The same in the place of another snapshot. */
  public NewSnapshot replacing(@Nullable String snapshot) {
    return new NewSnapshot(
        sandboxId, name, description, memoryMode, untilReady, verify, memory, snapshot);
  }

  /** A snapshot in the best memory mode that can, under a name or none. */
  public static NewSnapshot of(String sandboxId, @Nullable String name) {
    return new NewSnapshot(sandboxId, name, null, null, true);
  }
}
