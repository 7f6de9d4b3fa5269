// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.Shape;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.state.SnapshotRecord;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox to start.
 *
 * @param id the new sandbox's id
 * @param operation prefix of the step names reported to the observer
 * @param source the snapshot and the sandbox it is made from
 * @param shape its size; the disk is at least as large as that of the source
 * @param label its name and labels
 * @param options its rules, timeout and environment
 * @param hidden whether it belongs to an operation and is never shown
 */
public record SandboxOrder(
    String id,
    String operation,
    Source source,
    Shape shape,
    Sandbox.Label label,
    Options options,
    boolean hidden) {
  /**
   * The snapshot and the sandbox that a sandbox is made from.
   *
   * @param snapshot the snapshot or template it starts from; pinned by the caller
   * @param id the source's id as users see it: a clone has a hidden source
   * @param name the source's name, or null
   * @param parentId the sandbox it is cloned from, or null
   */
  public record Source(
      SnapshotRecord snapshot, String id, @Nullable String name, @Nullable String parentId) {}

  /**
   * The rules, timeout and environment of a sandbox.
   *
   * @param rules its lifetime, access and network rules
   * @param outbound whether it may open connections
   * @param memoryMode id of the only memory mode for captures of it, or null to choose
   * @param timeout how long it may exist, or null for ever
   * @param environment environment variables of its processes
   */
  public record Options(
      SandboxRules rules,
      boolean outbound,
      @Nullable String memoryMode,
      @Nullable Duration timeout,
      Map<String, String> environment) {}
}
