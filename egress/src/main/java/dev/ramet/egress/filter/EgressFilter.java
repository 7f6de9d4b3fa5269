// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import dev.ramet.egress.proxy.ConnectionPolicy;
import dev.ramet.egress.proxy.NameResolver;
import dev.ramet.egress.proxy.ProxyServer;
import dev.ramet.egress.proxy.RequestInterceptor;
import dev.ramet.egress.rule.Cidr;
import dev.ramet.egress.rule.HostPatterns;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.UpstreamProxy;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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

  private final String prefix;
  private final List<Cidr> never;
  private final NameResolver lookup;
  private final Set<String> used = new HashSet<>();
  private final Map<String, ActiveRelay> relays = new HashMap<>();
  private final Map<String, MachinePrograms> programs = new HashMap<>();
  private @Nullable FilterTrial trial;
  private boolean closed;

  /** A machine's relay, and how the kernel brings connections to it. */
  private record ActiveRelay(ProxyServer relay, RelayTables tables) {
    void close() {
      relay.close();
      tables.close();
    }
  }

  /**
   * A filter.
   *
   * @param prefix begins the names of its control groups, and of none of another engine's
   * @param never what no guest may reach
   */
  public EgressFilter(String prefix, List<Cidr> never) {
    this(prefix, never, NameResolver.SYSTEM);
  }

  /**
   * A filter.
   *
   * @param lookup looks up the names of hosts that guests may reach by their name
   */
  EgressFilter(String prefix, List<Cidr> never, NameResolver lookup) {
    this.prefix = prefix;
    this.never = List.copyOf(never);
    this.lookup = lookup;
  }

  /** Whether it works here. */
  public boolean isUsable() {
    return state().groups() != null;
  }

  /** For people: how it works here, or why it does not. */
  public String detail() {
    return state().detail();
  }

  /** Returns the result of the trial, which runs at first use. */
  private synchronized FilterTrial state() {
    FilterTrial known = trial;
    if (known == null) {
      known = FilterTrial.run(prefix, never);
      trial = known;
      if (known.groups() == null) {
        LOG.log(
            System.Logger.Level.WARNING,
            "guests that may open connections can also reach this host: {0}",
            known.detail());
      }
    }
    return known;
  }

  /** Puts rules in force that are not about requests. */
  public void confine(String machine, long pid, String own, NetworkRules rules) {
    confine(machine, pid, own, rules, RequestInterceptor.NONE);
  }

  /**
   * Puts rules in force for a machine, in place of those before.
   *
   * @param machine its name among all machines of the engine
   * @param pid the hypervisor's process, which has opened no connection for the guest yet, or only
   *     under rules for this machine
   * @param own the address of the guest's ports
   * @param headers what is to become of its requests
   * @throws RametException {@code UNSUPPORTED} when this host cannot and there are rules; {@code
   *     HOST_UNFIT} when it could, and cannot
   */
  public void confine(
      String machine, long pid, String own, NetworkRules rules, RequestInterceptor headers) {
    ControlGroups groups = groupsFor(rules, headers);
    if (groups == null) {
      return;
    }
    try {
      Path group = createGroup(groups, machine);
      enforce(machine, group, own, rules, headers);
      ControlGroups.move(pid, group);
    } catch (IOException | LinuxException e) {
      release(machine);
      throw filterFailed(machine, e);
    }
  }

  /** Under the lock, so that nobody takes it for one that is left over. */
  private synchronized Path createGroup(ControlGroups groups, String machine) throws IOException {
    used.add(machine);
    // The group may be another one than before: earlier programs say nothing about it.
    detachPrograms(machine);
    return groups.make(machine);
  }

  /** Puts other rules in force for a machine that is confined; none are about requests. */
  public void change(String machine, String own, NetworkRules rules) {
    change(machine, own, rules, RequestInterceptor.NONE);
  }

  /** Puts other rules in force for a machine that is confined. */
  public void change(String machine, String own, NetworkRules rules, RequestInterceptor headers) {
    ControlGroups groups = groupsFor(rules, headers);
    if (groups != null) {
      try {
        enforce(machine, groups.path(machine), own, rules, headers);
      } catch (IOException | LinuxException e) {
        throw filterFailed(machine, e);
      }
    }
  }

  /** Refuses rules that could not be put in force. */
  public void check(NetworkRules rules) {
    groupsFor(rules, RequestInterceptor.NONE);
    UpstreamProxy proxy = rules.egressProxy();
    if (proxy != null && isNeverReached(proxy.host())) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "network.egressProxy.address: guests on this host may not reach this address",
          "use another address for the proxy, or have the operator remove this one from"
              + " ramet.outbound-never",
          null);
    }
  }

  /** A name says nothing yet: it is looked up with each connection. */
  private boolean isNeverReached(String host) {
    return HostPatterns.normalize(host) == null && Cidr.parse(host).in(never);
  }

  private @Nullable ControlGroups groupsFor(NetworkRules rules, RequestInterceptor headers) {
    FilterTrial found = state();
    if (found.groups() == null && (!rules.isEmpty() || headers.hasRules())) {
      throw unsupported(found.detail());
    }
    String noRelay = found.noRelay();
    if (noRelay != null && policy(rules, headers).relayed().isAny()) {
      throw unsupported("by host names or through a proxy: " + noRelay);
    }
    return found.groups();
  }

  private static RametException unsupported(String why) {
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "network: this host cannot filter guests' connections " + why,
        "run the host as root, on a kernel with CONFIG_CGROUP_BPF and cgroup2 mounted",
        null);
  }

  private EgressPolicy policy(NetworkRules rules, RequestInterceptor headers) {
    return EgressPolicy.forRules(NameServers.read(), never, rules, headers);
  }

  private void enforce(
      String machine, Path group, String own, NetworkRules rules, RequestInterceptor headers)
      throws LinuxException, IOException {
    EgressPolicy policy = policy(rules, headers);
    ConnectionPolicy passage =
        new ConnectionPolicy(
            address -> Cidr.anyContains(never, address),
            policy::allows,
            HostPatterns.parse(rules.allowedNames()),
            rules.egressProxy(),
            headers);
    // First what is carried is ended, then what would be; nothing new comes between.
    ActiveRelay relaying = startRelay(machine, passage, policy.relayed().isAny());
    RelayTables tables = relaying == null ? null : relaying.tables();
    programs(machine).enforce(group, InetAddress.getByName(own), policy, tables);
  }

  /** Its relay with these rules; null when it has none, and needs none. */
  private synchronized @Nullable ActiveRelay startRelay(
      String machine, ConnectionPolicy passage, boolean needed) throws LinuxException, IOException {
    ActiveRelay there = relays.get(machine);
    if (there != null) {
      // It stays when it is not needed any more: what it carries may go on.
      there.relay().replacePolicy(passage);
      return there;
    }
    if (!needed) {
      return null;
    }
    RelayTables tables = RelayTables.create();
    try {
      ActiveRelay made = new ActiveRelay(ProxyServer.open(tables, lookup, passage), tables);
      tables.setRelayPort(made.relay().port());
      relays.put(machine, made);
      return made;
    } catch (IOException e) {
      tables.close();
      throw e;
    }
  }

  private synchronized MachinePrograms programs(String machine) {
    return programs.computeIfAbsent(machine, name -> new MachinePrograms());
  }

  private synchronized void detachPrograms(String machine) {
    MachinePrograms there = programs.remove(machine);
    if (there != null) {
      there.close();
    }
  }

  private static RametException filterFailed(String machine, Exception cause) {
    return new RametException(
        ErrorCode.HOST_UNFIT,
        "cannot filter the connections of " + machine + ": " + cause.getMessage(),
        cause);
  }

  /** A machine has ended. */
  public synchronized void release(String machine) {
    used.remove(machine);
    ActiveRelay relaying = relays.remove(machine);
    if (relaying != null) {
      relaying.close();
    }
    detachPrograms(machine);
    removeStaleGroups();
  }

  /** Removes what machines left that have ended, also those of an earlier process. */
  public synchronized void removeStaleGroups() {
    FilterTrial known = trial;
    ControlGroups groups = known == null ? null : known.groups();
    if (groups == null || closed) {
      return;
    }
    for (String name : groups.list()) {
      // One that still has a process stays until a later call.
      if (!used.contains(name)) {
        groups.remove(name);
      }
    }
  }

  /**
   * Ends what is relayed, and removes nothing from here on: the root may be opened by another
   * engine. Idempotent.
   */
  @Override
  public synchronized void close() {
    closed = true;
    relays.values().forEach(ActiveRelay::close);
    relays.clear();
    programs.values().forEach(MachinePrograms::close);
    programs.clear();
  }
}
