// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.Shape;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A machine to start.
 *
 * @param operation prefix of the step names reported to the observer
 * @param sandboxId the sandbox it belongs to
 * @param number its number among the sandbox's machines
 * @param source the snapshot or template it starts from
 * @param shape its size; the disk is at least as large as the source's
 * @param guest its rules and environment
 * @param token the token of its agent
 * @param useMemory whether a warm source may be restored rather than booted
 */
public record MachineOrder(
    String operation,
    String sandboxId,
    int number,
    SnapshotRecord source,
    Shape shape,
    Guest guest,
    Token token,
    boolean useMemory) {
  /**
   * The rules and environment of a guest.
   *
   * @param outbound whether it may open connections
   * @param rules its egress rules and volume mounts
   * @param environment default environment of its processes; empty keeps the guest's
   */
  public record Guest(boolean outbound, SandboxRules rules, Map<String, String> environment) {}

  /**
   * The token of a guest's agent.
   *
   * @param value the token its agent demands, or null for none
   * @param isSet whether to set the token in an agent that did not get it from its hypervisor
   */
  public record Token(@Nullable String value, boolean isSet) {}

  /** Returns this part of {@link #shape}. */
  int cpuCount() {
    return shape.cpuCount();
  }

  /** Returns this part of {@link #shape}. */
  long memoryBytes() {
    return shape.memoryBytes();
  }

  /** Returns this part of {@link #shape}. */
  long diskBytes() {
    return shape.diskBytes();
  }

  /** Returns this part of {@link #guest}. */
  boolean outbound() {
    return guest.outbound();
  }

  /** Returns this part of {@link #guest}. */
  SandboxRules rules() {
    return guest.rules();
  }

  /** Returns this part of {@link #guest}. */
  Map<String, String> environment() {
    return guest.environment();
  }

  /** Returns this part of {@link #token}. */
  @Nullable String accessToken() {
    return token.value();
  }

  /**
   * Creates the order for a sandbox's next machine, with the CPUs, memory and disk size of the
   * source.
   */
  public static MachineOrder next(
      String operation,
      SandboxRecord before,
      SnapshotRecord source,
      Map<String, String> environment,
      boolean useMemory) {
    return new MachineOrder(
        operation,
        before.id(),
        before.machine().number() + 1,
        source,
        new Shape(source.cpuCount(), source.memoryBytes(), source.diskBytes()),
        new Guest(before.outbound(), before.terms().rules(), environment),
        new Token(before.terms().accessToken(), true),
        useMemory);
  }

  /**
   * Returns the token to set in the agent: empty to remove one that it may have from its capture,
   * null to leave it alone.
   */
  @Nullable String tokenToSet() {
    String value = token.value();
    return !token.isSet() ? null : value == null ? "" : value;
  }

  /** Returns whether the machine can be restored rather than booted. */
  boolean canRestore() {
    return useMemory && MachineStarter.canRestore(source, shape.cpuCount(), shape.memoryBytes());
  }
}
