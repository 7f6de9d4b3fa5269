// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import dev.ramet.egress.proxy.OriginLookup;
import dev.ramet.egress.proxy.OriginalDestination;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.bpf.EgressOrigins;
import dev.ramet.linux.bpf.EgressPrograms;
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
final class RelayTables implements OriginLookup, AutoCloseable {
  private static final int WORDS_AT = 16;
  private static final int PORT_AT = 20;

  private final EgressOrigins maps;
  private volatile int port;

  private RelayTables(EgressOrigins maps) {
    this.maps = maps;
  }

  /** Empty ones. */
  static RelayTables create() throws LinuxException {
    return new RelayTables(EgressOrigins.create());
  }

  /** How the kernel's programs bring connections to the relay. */
  EgressPrograms.Relay kernelRelay() {
    return new EgressPrograms.Relay(port, maps);
  }

  /** Says where the relay listens, once. */
  void setRelayPort(int relayPort) {
    port = relayPort;
  }

  @Override
  public @Nullable OriginalDestination takeOrigin(int sourcePort) throws IOException {
    byte[] key =
        ByteBuffer.allocate(Integer.BYTES)
            .order(ByteOrder.nativeOrder())
            .putInt(sourcePort)
            .array();
    try {
      byte[] found = maps.byPort().remove(key);
      return found == null ? null : origin(ByteBuffer.wrap(found).order(ByteOrder.nativeOrder()));
    } catch (LinuxException e) {
      throw new IOException(e);
    }
  }

  private static OriginalDestination origin(ByteBuffer value) throws IOException {
    ByteBuffer address = ByteBuffer.allocate(WORDS_AT);
    for (int i = 0; i < WORDS_AT; i += Integer.BYTES) {
      address.putInt(value.getInt(i));
    }
    byte[] bytes = Arrays.copyOf(address.array(), value.getInt(WORDS_AT) * Integer.BYTES);
    return new OriginalDestination(InetAddress.getByAddress(bytes), value.getInt(PORT_AT));
  }

  @Override
  public void close() {
    maps.close();
  }
}
