// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ramet.agent.AgentErrors;
import dev.ramet.agent.Guest;
import dev.ramet.api.host.HostTrust;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one host. It uses the JDK's oldest HTTP client, which loads almost instantly;
 * the newer one takes a third of a second. Thread-safe. Every failure is a {@link RametException}:
 * the host's own, or UNAVAILABLE when it cannot be reached.
 */
public final class Client {
  private static final int CONNECT_MILLIS = 5_000;

  /** A busy host completes a TLS handshake within a second or two. */
  private static final int HANDSHAKE_MILLIS = 30_000;

  /**
   * Longer than any operation of a host takes; this ends the wait for a host that died silently.
   */
  private static final int ANSWER_MILLIS = 30 * 60_000;

  static {
    // By default a POST whose connection breaks is sent again, which could create two sandboxes.
    System.setProperty("sun.net.http.retryPost", "false");
  }

  private final String base;
  private final @Nullable String apiKey;
  private final @Nullable SSLSocketFactory sockets;
  private final @Nullable Path socket;
  private @Nullable RequestLog log;

  /**
   * Creates a client.
   *
   * @param base the host's address, {@code http://…} or {@code https://…}
   * @param apiKey the key to send as {@code X-API-KEY}, or null for none
   * @param authority a PEM file of the only authorities to trust, or null for those of Java
   */
  public Client(String base, @Nullable String apiKey, @Nullable Path authority) {
    this(base, apiKey, authority, null, HANDSHAKE_MILLIS);
  }

  /**
   * Returns a client that uses a unix socket, without a key and without TLS.
   *
   * @param base the host's address, which appears in requests
   */
  public static Client bySocket(String base, Path socket) {
    return new Client(base, null, null, socket, HANDSHAKE_MILLIS);
  }

  Client(
      String base,
      @Nullable String apiKey,
      @Nullable Path authority,
      @Nullable Path socket,
      int handshakeMillis) {
    if (!base.startsWith("http://") && !base.startsWith("https://")) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "not an address of a host: " + base,
          "give one like http://127.0.0.1:3000 with --server or RAMET_SERVER",
          null);
    }
    this.base = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    this.apiKey = apiKey;
    this.socket = socket;
    this.sockets =
        socket == null && base.startsWith("https://") ? sockets(authority, handshakeMillis) : null;
  }

  private static SSLSocketFactory sockets(@Nullable Path authority, int handshakeMillis) {
    return new HandshakeTimeoutSocketFactory(
        authority == null
            ? HttpsURLConnection.getDefaultSSLSocketFactory()
            : HostTrust.in(authority).getSocketFactory(),
        handshakeMillis);
  }

  /** Returns this client, which from now on reports its requests. */
  public Client reportingTo(RequestLog requests) {
    log = requests;
    return this;
  }

  /** Encodes one path segment or one query value. */
  public static String encode(String text) {
    return Guest.encode(text);
  }

  /** Sends a GET. */
  public ClientResponse get(String path) {
    return send("GET", path, null);
  }

  /** Sends a POST with a JSON body. */
  public ClientResponse post(String path, Object body) {
    return send("POST", path, body);
  }

  /** Sends a PUT with a JSON body. */
  public ClientResponse put(String path, Object body) {
    return send("PUT", path, body);
  }

  /** Sends a DELETE. */
  public ClientResponse delete(String path) {
    return send("DELETE", path, null);
  }

  /** Sends a DELETE with a JSON body. */
  public ClientResponse delete(String path, Object body) {
    return send("DELETE", path, body);
  }

  /**
   * Returns all pages of a list as one JSON array. A list of one page is returned unchanged.
   *
   * @param path the route, with or without a query
   */
  public byte[] getAllPages(String path) {
    ClientResponse page = get(path);
    if (page.nextToken() == null) {
      return page.body();
    }
    ArrayNode merged = Json.mapper().createArrayNode();
    String token = page.nextToken();
    while (true) {
      Json.tree(page.body()).forEach(merged::add);
      if (token == null) {
        return Json.bytes(merged);
      }
      page = get(path + (path.indexOf('?') < 0 ? "?" : "&") + "nextToken=" + encode(token));
      token = page.nextToken();
    }
  }

  private ClientResponse send(String method, String path, @Nullable Object body) {
    HttpURLConnection connection = open(method, path, Map.of("Accept", "application/json"));
    try {
      if (body != null) {
        connection.setRequestProperty("Content-Type", "application/json");
        write(connection, Json.bytes(body));
      }
      try (InputStream in = readResponse(connection)) {
        return new ClientResponse(
            connection.getResponseCode(),
            in.readAllBytes(),
            connection.getHeaderField("x-next-token"));
      }
    } catch (IOException e) {
      throw ConnectionErrors.connectionFailed(base, e);
    }
  }

  /** Opens a connection that has not sent anything yet. */
  HttpURLConnection open(String method, String path, Map<String, String> headers) {
    try {
      URI uri = URI.create(base + path);
      HttpURLConnection connection = connection(uri.toURL());
      if (sockets != null && connection instanceof HttpsURLConnection secure) {
        secure.setSSLSocketFactory(sockets);
      }
      connection.setRequestMethod(method);
      connection.setInstanceFollowRedirects(false);
      connection.setConnectTimeout(CONNECT_MILLIS);
      connection.setReadTimeout(ANSWER_MILLIS);
      connection.setRequestProperty("User-Agent", "ramet-cli");
      if (apiKey != null) {
        connection.setRequestProperty("X-API-KEY", apiKey);
      }
      headers.forEach(connection::setRequestProperty);
      if (log != null) {
        log.opened(connection);
      }
      return connection;
    } catch (IllegalArgumentException | MalformedURLException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, "not an address of a host: " + base, null, e);
    } catch (IOException e) {
      throw ConnectionErrors.connectionFailed(base, e);
    }
  }

  /**
   * Opens a TCP connection to a port of a guest.
   *
   * @param token the sandbox's traffic access token, or null if it has none
   * @throws RametException CONFLICT if the sandbox is paused, GUEST_UNREACHABLE if nothing listens
   */
  public Tunnel tunnel(String sandbox, int port, @Nullable String token) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("E2b-Sandbox-Id", sandbox);
    headers.put("E2b-Sandbox-Port", Integer.toString(port));
    if (token != null) {
      headers.put("E2b-Traffic-Access-Token", token);
    }
    try {
      return new TunnelOpener(URI.create(base), sockets, socket, CONNECT_MILLIS).open(headers);
    } catch (IOException e) {
      throw ConnectionErrors.connectionFailed(base, e);
    }
  }

  private HttpURLConnection connection(URL url) throws IOException {
    if (socket != null) {
      return new SocketConnection(url, socket);
    }
    if (url.openConnection() instanceof HttpURLConnection connection) {
      return connection;
    }
    throw new IllegalArgumentException(base);
  }

  /** Sends a small body. */
  static void write(HttpURLConnection connection, byte[] body) throws IOException {
    connection.setDoOutput(true);
    try (OutputStream out = connection.getOutputStream()) {
      out.write(body);
    }
  }

  /** Returns the body of a successful response, or throws the error of another. */
  InputStream readResponse(HttpURLConnection connection) throws IOException {
    int status = status(connection);
    if (status >= 200 && status < 300) {
      return connection.getInputStream();
    }
    byte[] body = new byte[0];
    try (InputStream error = connection.getErrorStream()) {
      if (error != null) {
        body = error.readAllBytes();
      }
    }
    throw AgentErrors.fromResponse(status, body);
  }

  private int status(HttpURLConnection connection) throws IOException {
    RequestLog requests = log;
    try {
      int status = connection.getResponseCode();
      if (requests != null) {
        requests.answered(connection, status);
      }
      return status;
    } catch (IOException e) {
      if (requests != null) {
        requests.failed(connection, e);
      }
      throw e;
    }
  }

  /** Returns the error for an I/O error on a connection of this client. */
  public RametException connectionFailed(IOException e) {
    return ConnectionErrors.connectionFailed(base, e);
  }
}
