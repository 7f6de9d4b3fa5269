// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.network;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.NetworkRules;
import dev.ramet.engine.internal.Ids;
import dev.ramet.linux.CgroupProgram;
import dev.ramet.linux.CgroupProgram.Hook;
import dev.ramet.linux.LinuxException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps guests from addresses that they are not to reach. Guests with user networking connect
 * through sockets of their hypervisor's process, so that process goes into a control group of its
 * own, which the kernel asks a program of ours for. What is in force stays so without this process.
 * Where the kernel cannot do it, guests without rules of their own start unfiltered, as a warning
 * says once, and others do not start.
 *
 * <p>Thread-safe.
 */
public final class EgressFilter implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(EgressFilter.class.getName());
  private static final String TRIAL = "trial";

  private final String prefix;
  private final List<Cidr> never;
  private final Set<String> used = new HashSet<>();
  private @Nullable State state;
  private boolean closed;

  /** What was found out, at first use. */
  private record State(@Nullable ControlGroups groups, String detail) {}

  /**
   * A filter.
   *
   * @param prefix begins the names of its control groups, and of none of another engine's
   * @param never what no guest may reach
   */
  public EgressFilter(String prefix, List<Cidr> never) {
    this.prefix = prefix;
    this.never = List.copyOf(never);
  }

  /** Whether it works here. */
  public boolean usable() {
    return state().groups() != null;
  }

  /** For people: how it works here, or why it does not. */
  public String detail() {
    return state().detail();
  }

  private synchronized State state() {
    State known = state;
    if (known == null) {
      known = tried();
      state = known;
      if (known.groups() == null) {
        LOG.log(
            System.Logger.Level.WARNING,
            "guests that may open connections reach this host itself too: {0}",
            known.detail());
      }
    }
    return known;
  }

  /** Does all of it to a group without processes. */
  private State tried() {
    try {
      ControlGroups groups = ControlGroups.find(prefix).orElse(null);
      if (groups == null) {
        return new State(null, "version 2 of control groups is not mounted");
      }
      String name = TRIAL + Ids.next('t');
      try {
        attach(groups.make(name), InetAddress.getLoopbackAddress(), NetworkRules.NONE);
      } finally {
        groups.remove(name);
      }
      return new State(groups, "BPF programs of control groups below " + groups);
    } catch (IOException | LinuxException e) {
      return new State(null, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Puts rules in force for a machine, in place of those before.
   *
   * @param machine its name among all machines of the engine
   * @param pid the hypervisor's process, which has opened no connection for the guest yet, or only
   *     under rules for this machine
   * @param own the address of the guest's ports
   * @throws RametException {@code UNSUPPORTED} when this host cannot and there are rules; {@code
   *     HOST_UNFIT} when it could, and cannot
   */
  public void confine(String machine, long pid, String own, NetworkRules rules) {
    ControlGroups groups = groupsFor(rules);
    if (groups == null) {
      return;
    }
    try {
      Path group = made(groups, machine);
      attach(group, InetAddress.getByName(own), rules);
      ControlGroups.move(pid, group);
    } catch (IOException | LinuxException e) {
      release(machine);
      throw unfit(machine, e);
    }
  }

  /** Under the lock, so that nobody takes it for one that is left over. */
  private synchronized Path made(ControlGroups groups, String machine) throws IOException {
    used.add(machine);
    return groups.make(machine);
  }

  /** Puts other rules in force for a machine that is confined. */
  public void change(String machine, String own, NetworkRules rules) {
    ControlGroups groups = groupsFor(rules);
    if (groups != null) {
      try {
        attach(groups.of(machine), InetAddress.getByName(own), rules);
      } catch (IOException | LinuxException e) {
        throw unfit(machine, e);
      }
    }
  }

  /** Refuses rules that could not be put in force. */
  public void check(NetworkRules rules) {
    groupsFor(rules);
  }

  private @Nullable ControlGroups groupsFor(NetworkRules rules) {
    State found = state();
    if (found.groups() == null && !rules.none()) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "network: this host cannot filter what guests reach: " + found.detail(),
          "run the host as root, on a kernel with CONFIG_CGROUP_BPF and cgroup2 mounted",
          null);
    }
    return found.groups();
  }

  private void attach(Path group, InetAddress own, NetworkRules rules)
      throws LinuxException, UnknownHostException {
    EgressPolicy policy = EgressPolicy.of(Resolvers.read(), never, rules);
    for (Hook hook : Hook.values()) {
      CgroupProgram.attach(group, hook, EgressProgram.of(hook, policy, own));
    }
  }

  private static RametException unfit(String machine, Exception cause) {
    return new RametException(
        ErrorCode.HOST_UNFIT,
        "cannot filter what " + machine + " reaches: " + cause.getMessage(),
        cause);
  }

  /** A machine has ended. */
  public synchronized void release(String machine) {
    used.remove(machine);
    clear();
  }

  /** Removes what machines left that have ended, also those of an earlier process. */
  public synchronized void clear() {
    State known = state;
    ControlGroups groups = known == null ? null : known.groups();
    if (groups == null || closed) {
      return;
    }
    for (String name : groups.names()) {
      // One that still has a process stays until a later call.
      if (!used.contains(name)) {
        groups.remove(name);
      }
    }
  }

  /** Removes nothing from here on: the root may be opened by another engine. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
  }
}
