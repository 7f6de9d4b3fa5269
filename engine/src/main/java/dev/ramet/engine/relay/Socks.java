// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import dev.ramet.engine.EgressProxy;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks a proxy of SOCKS5 for a connection (RFC 1928, RFC 1929). Used by one thread. */
final class Socks {
  private static final int VERSION = 5;
  private static final int NO_USER = 0;
  private static final int USER = 2;
  private static final int USER_VERSION = 1;
  private static final int CONNECT = 1;
  private static final int IPV4 = 1;
  private static final int NAME = 3;
  private static final int IPV6 = 4;

  private final InputStream in;
  private final Socket socket;
  private final EgressProxy proxy;

  private Socks(Socket socket, EgressProxy proxy) throws IOException {
    this.socket = socket;
    this.in = socket.getInputStream();
    this.proxy = proxy;
  }

  /** Has the proxy at the other end connect to an address. */
  static void connect(Socket socket, EgressProxy proxy, InetAddress to, int port)
      throws IOException {
    byte[] address = to.getAddress();
    new Socks(socket, proxy).ask(address.length == 4 ? IPV4 : IPV6, address, port);
  }

  /** Has the proxy look a name up and connect there. */
  static void connect(Socket socket, EgressProxy proxy, String name, int port) throws IOException {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    byte[] field = new byte[bytes.length + 1];
    field[0] = (byte) bytes.length; // A name has 253 at most.
    System.arraycopy(bytes, 0, field, 1, bytes.length);
    new Socks(socket, proxy).ask(NAME, field, port);
  }

  private void ask(int type, byte[] address, int port) throws IOException {
    identify();
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(new byte[] {VERSION, CONNECT, 0, (byte) type});
    request.writeBytes(address);
    request.write(port >> 8);
    request.write(port);
    socket.getOutputStream().write(request.toByteArray());

    expect(VERSION, "an answer");
    int result = read();
    if (result != 0) {
      throw new ProtocolException("the proxy answers " + result + meaning(result));
    }
    expect(0, "an answer");
    int length =
        switch (read()) {
          case IPV4 -> 4;
          case NAME -> read();
          case IPV6 -> 16;
          default -> throw new ProtocolException("the proxy connected from no known address");
        };
    if (in.readNBytes(length + Short.BYTES).length < length + Short.BYTES) {
      throw new EOFException("the proxy has ended the connection");
    }
  }

  private void identify() throws IOException {
    String username = proxy.username();
    byte[] ways =
        username == null
            ? new byte[] {VERSION, 1, NO_USER}
            : new byte[] {VERSION, 2, NO_USER, USER};
    socket.getOutputStream().write(ways);
    expect(VERSION, "a proxy of SOCKS5");
    int way = read();
    if (way == NO_USER) {
      return;
    }
    if (way != USER || username == null) {
      throw new ProtocolException("the proxy wants to know of a user in another way");
    }
    String password = proxy.password();
    byte[] user = username.getBytes(StandardCharsets.UTF_8);
    byte[] secret = (password == null ? "" : password).getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.write(USER_VERSION);
    request.write(user.length);
    request.writeBytes(user);
    request.write(secret.length);
    request.writeBytes(secret);
    socket.getOutputStream().write(request.toByteArray());
    expect(USER_VERSION, "an answer about the user");
    if (read() != 0) {
      throw new ProtocolException("the proxy does not take the user or the password");
    }
  }

  private void expect(int value, String what) throws IOException {
    if (read() != value) {
      throw new ProtocolException("what the proxy says is not " + what);
    }
  }

  private int read() throws IOException {
    int value = in.read();
    if (value < 0) {
      throw new EOFException("the proxy has ended the connection");
    }
    return value;
  }

  private static String meaning(int result) {
    return switch (result) {
      case 2 -> ": not allowed";
      case 3, 4 -> ": not reached";
      case 5 -> ": refused";
      case 6 -> ": too late";
      default -> "";
    };
  }
}
