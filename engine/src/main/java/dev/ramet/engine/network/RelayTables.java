// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.network;

import dev.ramet.egress.proxy.Origin;
import dev.ramet.egress.proxy.Origins;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.bpf.BpfMap;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How the kernel's programs tell a relay where the connections were to go that they bring to it. At
 * connect(2) the program knows the socket but not the port that it is going to have; so it writes
 * that down by the socket's cookie, and the program at the first packet, which knows both, by the
 * port. Values are words of this machine's order: four of the address, how many of these are used,
 * and the port. Thread-safe.
 */
final class RelayTables implements Origins, AutoCloseable {
  static final int VALUE_BYTES = 24;
  static final int WORDS_AT = 16;
  static final int PORT_AT = 20;

  // Connections that the kernel has begun and the relay has not accepted; more than may wait.
  private static final int MOST = 4096;

  private final BpfMap bySocket;
  private final BpfMap byPort;
  private volatile int port;

  private RelayTables(BpfMap bySocket, BpfMap byPort) {
    this.bySocket = bySocket;
    this.byPort = byPort;
  }

  /** Empty ones. */
  static RelayTables create() throws LinuxException {
    BpfMap bySocket = BpfMap.create(Long.BYTES, VALUE_BYTES, MOST);
    try {
      return new RelayTables(bySocket, BpfMap.create(Integer.BYTES, VALUE_BYTES, MOST));
    } catch (LinuxException e) {
      bySocket.close();
      throw e;
    }
  }

  BpfMap bySocket() {
    return bySocket;
  }

  BpfMap byPort() {
    return byPort;
  }

  /** Where the relay listens. */
  int port() {
    return port;
  }

  /** Says where the relay listens, once. */
  void listensAt(int relayPort) {
    port = relayPort;
  }

  @Override
  public @Nullable Origin take(int sourcePort) throws IOException {
    byte[] key =
        ByteBuffer.allocate(Integer.BYTES)
            .order(ByteOrder.nativeOrder())
            .putInt(sourcePort)
            .array();
    try {
      byte[] found = byPort.take(key);
      return found == null ? null : origin(ByteBuffer.wrap(found).order(ByteOrder.nativeOrder()));
    } catch (LinuxException e) {
      throw new IOException(e);
    }
  }

  private static Origin origin(ByteBuffer value) throws IOException {
    ByteBuffer address = ByteBuffer.allocate(WORDS_AT);
    for (int i = 0; i < WORDS_AT; i += Integer.BYTES) {
      address.putInt(value.getInt(i));
    }
    byte[] bytes = Arrays.copyOf(address.array(), value.getInt(WORDS_AT) * Integer.BYTES);
    return new Origin(InetAddress.getByAddress(bytes), value.getInt(PORT_AT));
  }

  @Override
  public void close() {
    bySocket.close();
    byPort.close();
  }
}
