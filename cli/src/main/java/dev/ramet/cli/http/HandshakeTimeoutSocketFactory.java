// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Creates TLS sockets that complete the handshake at once, with a shorter timeout than that for
 * responses: a peer that accepts connections and stays silent is not a host. Thread-safe.
 */
final class HandshakeTimeoutSocketFactory extends SSLSocketFactory {
  private static final String UNUSED = "TLS is put over connections that are there";

  private final SSLSocketFactory sockets;
  private final int millis;

  /**
   * Creates a factory.
   *
   * @param sockets creates the sockets and decides who is trusted
   * @param millis how long the peer may stay silent
   */
  HandshakeTimeoutSocketFactory(SSLSocketFactory sockets, int millis) {
    this.sockets = sockets;
    this.millis = millis;
  }

  @Override
  public Socket createSocket(Socket plain, String host, int port, boolean autoClose)
      throws IOException {
    Socket made = sockets.createSocket(plain, host, port, autoClose);
    if (made instanceof SSLSocket socket) {
      // The JDK's client enables this too, but only before a handshake of its own.
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      int patience = socket.getSoTimeout();
      socket.setSoTimeout(millis);
      socket.startHandshake();
      socket.setSoTimeout(patience);
    }
    return made;
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return sockets.getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return sockets.getSupportedCipherSuites();
  }

  // HttpsURLConnection uses only the overload above; with the others the handshake would happen
  // later.

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    throw new SocketException(UNUSED);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    throw new SocketException(UNUSED);
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    throw new SocketException(UNUSED);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    throw new SocketException(UNUSED);
  }
}
