// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.bpf.CgroupProgram.Hook;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The programs of an egress filter on a control group. They stay in force after {@link #close} and
 * after this process ends, until others replace them or the group is removed. Thread-safe.
 */
public final class EgressPrograms implements AutoCloseable {
  private static final byte[] SLOT = EgressObject.encodeWords(0);
  private static final String RULES = "rules";
  private static final String SETTINGS = "settings";

  private final BpfMap rules;

  /**
   * Where a relay listens, on the IPv4 loopback address.
   *
   * @param origins where the programs keep what the relay has to know
   */
  public record Relay(int port, EgressOrigins origins) {}

  private EgressPrograms(BpfMap rules) {
    this.rules = rules;
  }

  /**
   * Puts programs in force for a control group, in place of earlier ones. If the kernel refuses any
   * of them, the earlier ones stay.
   *
   * @param group a directory of the cgroup2 file system
   * @param own the host's address of the guest's ports: all that leaves from it passes, since it
   *     answers those who connected to these ports
   * @param relay the relay for the connections that the rules bring to one; without it, these
   *     connections are refused
   * @throws LinuxException EPERM without the privileges, ENOSYS or EINVAL on a kernel without
   *     support
   */
  public static EgressPrograms attach(
      Path group, InetAddress own, EgressRules rules, @Nullable Relay relay) throws LinuxException {
    if (relay != null) {
      return attachAll(group, own, rules, relay);
    }
    try (EgressOrigins unused = EgressOrigins.unused()) {
      return attachAll(group, own, rules, new Relay(0, unused));
    }
  }

  /** Port 0 means that there is no relay. */
  private static EgressPrograms attachAll(
      Path group, InetAddress own, EgressRules rules, Relay relay) throws LinuxException {
    BpfMap slot = slot(rules);
    boolean attached = false;
    try (BpfMap settings = EgressObject.create(SETTINGS, 1)) {
      settings.put(SLOT, settings(own, relay.port()));
      attach(group, slot, settings, relay.origins());
      attached = true;
      return new EgressPrograms(slot);
    } finally {
      if (!attached) {
        slot.close();
      }
    }
  }

  /** The map with the slot for rules, which these fill. */
  private static BpfMap slot(EgressRules rules) throws LinuxException {
    try (BpfMap networks = rules.toMap()) {
      BpfMap slot = EgressObject.create(RULES, networks);
      boolean filled = false;
      try {
        putNetworks(slot, networks);
        filled = true;
        return slot;
      } finally {
        if (!filled) {
          slot.close();
        }
      }
    }
  }

  private static void putNetworks(BpfMap slot, BpfMap networks) throws LinuxException {
    slot.put(SLOT, EgressObject.encodeWords(networks.number()));
  }

  /** {@code struct settings}; the address is in network order, the port in this machine's. */
  private static byte[] settings(InetAddress own, int port) {
    ByteBuffer value = ByteBuffer.allocate(2 * Integer.BYTES).put(own.getAddress(), 0, 4);
    return value.order(ByteOrder.LITTLE_ENDIAN).putInt(port).array();
  }

  /** Loads all programs before it attaches the first. */
  private static void attach(Path group, BpfMap slot, BpfMap settings, EgressOrigins origins)
      throws LinuxException {
    Map<String, BpfMap> maps =
        Map.of(
            RULES,
            slot,
            SETTINGS,
            settings,
            EgressOrigins.BY_SOCKET,
            origins.bySocket(),
            EgressOrigins.BY_PORT,
            origins.byPort());
    List<CgroupProgram> programs = new ArrayList<>();
    try {
      for (Hook hook : Hook.values()) {
        programs.add(CgroupProgram.load(hook, EgressObject.get(), maps));
      }
      for (CgroupProgram program : programs) {
        program.attach(group);
      }
    } finally {
      programs.forEach(CgroupProgram::close);
    }
  }

  /**
   * Puts other rules in force, for all programs at the same instant. If that fails, the old rules
   * stay in force.
   */
  public void change(EgressRules next) throws LinuxException {
    try (BpfMap networks = next.toMap()) {
      putNetworks(rules, networks);
    }
  }

  /** Closes what later changes need. The programs and rules stay in force. Idempotent. */
  @Override
  public void close() {
    rules.close();
  }
}
