// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.engine.machine.HostNetwork;
import dev.ramet.spi.hypervisor.NetworkPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Plans tap devices that nobody opens, and answers in place of the guests' agents. Thread-safe. */
final class FakeTaps implements HostNetwork {
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  private final Path namespaces;
  private final Map<String, FakeAgent> agents = new ConcurrentHashMap<>();

  /** The agents of all machines that ever started, by machine. */
  private final Map<String, FakeAgent> all = new ConcurrentHashMap<>();

  FakeTaps(Path namespaces) {
    this.namespaces = namespaces;
  }

  /** Returns the machines whose networks exist. */
  Set<String> machines() {
    return Set.copyOf(agents.keySet());
  }

  /** Returns the requests to the agents of a sandbox's machines. */
  List<String> requests(String sandboxId) {
    List<String> found = new ArrayList<>();
    all.forEach(
        (machine, agent) -> {
          if (machine.startsWith(sandboxId + "-")) {
            found.addAll(agent.requests());
          }
        });
    return found;
  }

  @Override
  public NetworkPlan.Kind kind() {
    return NetworkPlan.Kind.TAP;
  }

  @Override
  public NetworkPlan plan(Guest guest) {
    int n = ADDRESSES.incrementAndGet();
    String address = "127.90." + ProcessHandle.current().pid() % 250 + "." + (n % 250 + 1);
    for (int port : guest.ports()) {
      try {
        FakeAgent agent = new FakeAgent(address, port);
        agents.put(guest.machine(), agent);
        all.put(guest.machine(), agent);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return again(guest, address);
  }

  @Override
  public NetworkPlan again(Guest guest, String address) {
    return new NetworkPlan.Tap(
        namespaces.resolve(guest.machine()),
        "tap0",
        "06:00:00:00:00:02",
        "172.16.0.2",
        "172.16.0.1",
        30,
        address);
  }

  @Override
  public void release(String machine) {
    FakeAgent agent = agents.remove(machine);
    if (agent != null) {
      try {
        agent.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
