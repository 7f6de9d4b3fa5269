// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import dev.ramet.agent.AgentErrors;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.impl.io.DefaultHttpRequestWriter;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParser;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;
import org.apache.hc.core5.http.impl.io.SessionOutputBufferImpl;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.jspecify.annotations.Nullable;

/** Opens tunnels to ports of guests with an HTTP upgrade (RFC 9110, section 7.8). */
final class TunnelOpener {
  private static final String PROTOCOL = "ramet-tcp";
  private static final int SWITCHED = 101;

  // Of one byte, so that it does not take bytes of the guest that follow the response's head.
  private static final int BUFFER = 1;
  private static final int MAX_ERROR_BYTES = 64 << 10;

  private final URI base;
  private final @Nullable SSLSocketFactory sockets;
  private final @Nullable Path socket;
  private final int connectMillis;

  TunnelOpener(
      URI base, @Nullable SSLSocketFactory sockets, @Nullable Path socket, int connectMillis) {
    this.base = base;
    this.sockets = sockets;
    this.socket = socket;
    this.connectMillis = connectMillis;
  }

  /**
   * Opens a tunnel.
   *
   * @param headers those that name the sandbox and its port
   * @throws RametException the host's error if it refuses
   */
  Tunnel open(Map<String, String> headers) throws IOException {
    Path local = socket;
    if (local != null) {
      UnixSocket unix = UnixSocket.connect(local, 0);
      try {
        return upgrade(unix.input(), unix.output(), unix, headers);
      } catch (IOException | RuntimeException e) {
        unix.close();
        throw e;
      }
    }
    Socket tcp = connect();
    try {
      return upgrade(tcp.getInputStream(), tcp.getOutputStream(), tcp, headers);
    } catch (IOException | RuntimeException e) {
      tcp.close();
      throw e;
    }
  }

  private Socket connect() throws IOException {
    boolean tls = sockets != null;
    int port = base.getPort() >= 0 ? base.getPort() : tls ? 443 : 80;
    Socket plain = new Socket();
    try {
      plain.setTcpNoDelay(true);
      plain.connect(new InetSocketAddress(base.getHost(), port), connectMillis);
      SSLSocketFactory factory = sockets;
      if (factory == null) {
        return plain;
      }
      SSLSocket secure = (SSLSocket) factory.createSocket(plain, base.getHost(), port, true);
      SSLParameters parameters = secure.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secure.setSSLParameters(parameters);
      secure.startHandshake();
      return secure;
    } catch (IOException | RuntimeException e) {
      plain.close();
      throw e;
    }
  }

  private Tunnel upgrade(
      InputStream in, OutputStream out, AutoCloseable connection, Map<String, String> headers)
      throws IOException {
    BasicClassicHttpRequest request = new BasicClassicHttpRequest("GET", "/");
    request.addHeader("Host", base.getAuthority());
    request.addHeader("Connection", "Upgrade");
    request.addHeader("Upgrade", PROTOCOL);
    request.addHeader(TunnelFrames.HEADER, TunnelFrames.VERSION);
    headers.forEach(request::addHeader);
    SessionOutputBufferImpl output = new SessionOutputBufferImpl(4 << 10);
    SessionInputBufferImpl input = new SessionInputBufferImpl(BUFFER);
    try {
      new DefaultHttpRequestWriter().write(request, output, out);
      output.flush(out);
      ClassicHttpResponse response = new DefaultHttpResponseParser().parse(input, in);
      if (response == null) {
        throw new IOException("the host closed the connection");
      }
      if (response.getCode() == SWITCHED) {
        Header frames = response.getHeader(TunnelFrames.HEADER);
        return frames != null && TunnelFrames.VERSION.equals(frames.getValue())
            ? Tunnel.framed(in, out, connection)
            : Tunnel.raw(in, out, connection);
      }
      Header length = response.getHeader("Content-Length");
      int bytes =
          length == null ? 0 : Math.min(MAX_ERROR_BYTES, Integer.parseInt(length.getValue()));
      byte[] body = new byte[bytes];
      for (int at = 0; at < bytes; ) {
        int read = input.read(body, at, bytes - at, in);
        at = read < 0 ? bytes : at + read;
      }
      throw AgentErrors.fromResponse(response.getCode(), body);
    } catch (HttpException | NumberFormatException e) {
      throw new IOException("the host's answer is not well-formed", e);
    }
  }
}
