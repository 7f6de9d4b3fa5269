// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.bpf.EgressPrograms;
import dev.ramet.linux.bpf.EgressRules;
import java.net.InetAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The programs that this process attached to a machine's control group. What is in force stays so
 * after {@link #close}. Thread-safe.
 */
final class MachinePrograms implements AutoCloseable {
  private @Nullable Attached attached;
  private boolean closed;

  /** Programs, with what else they were made of than rules. */
  private record Attached(EgressPrograms programs, InetAddress own, @Nullable RelayTables relay) {}

  /**
   * Puts a policy in force in place of the previous one. Other rules take effect at one instant for
   * all programs. For another address or relay there are new programs, each in place of its
   * predecessor.
   */
  synchronized void enforce(
      Path group, InetAddress own, EgressPolicy policy, @Nullable RelayTables relay)
      throws LinuxException {
    Attached there = attached;
    if (there != null && there.own().equals(own) && there.relay() == relay) {
      there.programs().change(EgressVerdicts.forPolicy(policy));
      return;
    }
    // Forgotten first: an attempt that fails halfway leaves programs of both.
    close(there);
    attached = null;
    attached = new Attached(attach(group, own, policy, relay), own, relay);
    if (closed) {
      close();
    }
  }

  /** Attaches programs to a group. */
  static EgressPrograms attach(
      Path group, InetAddress own, EgressPolicy policy, @Nullable RelayTables relay)
      throws LinuxException {
    EgressRules rules = EgressVerdicts.forPolicy(policy);
    return EgressPrograms.attach(group, own, rules, relay == null ? null : relay.kernelRelay());
  }

  private static void close(@Nullable Attached one) {
    if (one != null) {
      one.programs().close();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    close(attached);
    attached = null;
  }
}
