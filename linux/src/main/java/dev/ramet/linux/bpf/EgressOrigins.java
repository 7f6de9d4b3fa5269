// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import dev.ramet.linux.LinuxException;

/**
 * The maps in which the programs of an egress filter keep where the connections were to go that
 * they bring to a relay: by the socket's cookie until its first packet, and then by the socket's
 * port. Thread-safe.
 *
 * @param bySocket for the programs alone
 * @param byPort keys are ports as words of four bytes; values are four words of the address, how
 *     many of them are used, and the port, all in this machine's order
 */
public record EgressOrigins(BpfMap bySocket, BpfMap byPort) implements AutoCloseable {
  static final String BY_SOCKET = "by_socket";
  static final String BY_PORT = "by_port";

  /** Makes empty ones, with room for more connections than a relay can have waiting. */
  public static EgressOrigins create() throws LinuxException {
    return create(EgressObject.get().map(BY_PORT).entries());
  }

  /** Makes small ones, for programs that bring nothing to a relay. */
  static EgressOrigins unused() throws LinuxException {
    return create(1);
  }

  private static EgressOrigins create(int entries) throws LinuxException {
    BpfMap bySocket = EgressObject.create(BY_SOCKET, entries);
    try {
      return new EgressOrigins(bySocket, EgressObject.create(BY_PORT, entries));
    } catch (LinuxException e) {
      bySocket.close();
      throw e;
    }
  }

  @Override
  public void close() {
    bySocket.close();
    byPort.close();
  }
}
