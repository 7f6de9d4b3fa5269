// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.bpf.EgressRules.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AutoClose;

/** The sockets of this process in a group of its own, and servers that they may reach. */
abstract class EgressProgramsGround {
  static final String OWN = "127.99.0.1";
  static final int DNS_PORT = 53;

  @AutoClose final OwnGroup group = OwnGroup.require();
  @AutoClose private final ServerSocketChannel fourth;
  @AutoClose private final ServerSocketChannel sixth;

  EgressProgramsGround() throws IOException {
    fourth = server(StandardProtocolFamily.INET, "0.0.0.0");
    sixth = server(StandardProtocolFamily.INET6, "::1");
  }

  static ServerSocketChannel server(ProtocolFamily family, String host) throws IOException {
    return ServerSocketChannel.open(family).bind(new InetSocketAddress(host, 0), 1000);
  }

  EgressPrograms attach(EgressRules rules) throws LinuxException, IOException {
    return EgressPrograms.attach(group.path(), InetAddress.getByName(OWN), rules, null);
  }

  static EgressRules rules(String network, Verdict... verdict) throws IOException {
    return with(new EgressRules(), network, verdict);
  }

  static EgressRules with(EgressRules rules, String network, Verdict... verdict)
      throws UnknownHostException {
    String[] parts = network.split("/", 2);
    EnumSet<Verdict> all = EnumSet.noneOf(Verdict.class);
    all.addAll(List.of(verdict));
    byte[] address = InetAddress.getByName(parts[0]).getAddress();
    return rules.put(address, Integer.parseInt(parts[1]), all);
  }

  static ProtocolFamily family(String host) {
    return host.contains(":") ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
  }

  /** Connects by TCP. */
  boolean reaches(String host) throws IOException {
    int port = (host.contains(":") ? sixth : fourth).socket().getLocalPort();
    return isPermitted(
        () -> {
          try (SocketChannel channel = SocketChannel.open(family(host))) {
            channel.connect(new InetSocketAddress(host, port));
          }
        });
  }

  /** Sends by UDP, without connect(2). */
  static boolean sends(String host, int port) throws IOException {
    return isPermitted(
        () -> {
          try (DatagramChannel channel = DatagramChannel.open(family(host))) {
            channel.send(ByteBuffer.allocate(1), new InetSocketAddress(host, port));
          }
        });
  }

  interface Action {
    void run() throws IOException;
  }

  static boolean isPermitted(Action action) throws IOException {
    try {
      action.run();
      return true;
    } catch (PortUnreachableException e) {
      // The answer to an earlier packet, to a port where nobody listens.
      return isPermitted(action);
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("Operation not permitted")) {
        return false;
      }
      throw e;
    }
  }
}
