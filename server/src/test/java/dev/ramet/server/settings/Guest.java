// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A TCP server with a scripted subset of HTTP; one thread per connection. */
public final class Guest implements AutoCloseable {
  /** Serves one connection. */
  @FunctionalInterface
  public interface Script {
    void serve(Http http) throws IOException;
  }

  public final AtomicInteger connections = new AtomicInteger();
  public final AtomicInteger open = new AtomicInteger();
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  public Guest(Script script) throws IOException {
    this(script, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
  }

  public Guest(Script script, ServerSocket listener) {
    this.listener = listener;
    start(() -> accept(script));
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body, "guest");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept(Script script) {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        connections.incrementAndGet();
        open.incrementAndGet();
        sockets.add(socket);
        start(() -> serve(script, socket));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Script script, Socket socket) {
    try (socket) {
      script.serve(new Http(socket));
    } catch (IOException e) {
      // the other side disconnected; tests check that with the counters
    } finally {
      open.decrementAndGet();
      sockets.remove(socket);
    }
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** One side, server or client, of an HTTP/1.1 connection. */
  public static final class Http implements AutoCloseable {
    public final Socket socket;
    public final InputStream in;
    public final OutputStream out;

    public Http(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
      this.out = socket.getOutputStream();
    }

    public static Http connect(int port) throws IOException {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(20_000);
      return new Http(socket);
    }

    /** The first line and the headers of a message, by lower-case name. */
    public record Head(String line, Map<String, String> headers) {
      public @Nullable String get(String name) {
        return headers.get(name);
      }
    }

    public void send(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }

    /** Reads a line without its end; returns null at the end of the stream. */
    public @Nullable String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        if (c < 0) {
          return null;
        }
        line.append((char) c);
      }
      return line.toString().stripTrailing();
    }

    /** Reads a head; returns null at the end of the stream. */
    public @Nullable Head head() throws IOException {
      String first = line();
      if (first == null) {
        return null;
      }
      Map<String, String> headers = new LinkedHashMap<>();
      for (String line = line(); line != null && !line.isEmpty(); line = line()) {
        int colon = line.indexOf(':');
        headers.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
      }
      return new Head(first, headers);
    }

    public Head needHead() throws IOException {
      Head head = head();
      if (head == null) {
        throw new IOException("the stream ended where a head was due");
      }
      return head;
    }

    /** Reads a body and returns its size, without storing it. */
    public long skipBody(Head head) throws IOException {
      if ("chunked".equals(head.get("transfer-encoding"))) {
        long total = 0;
        for (int size = chunk(); size > 0; size = chunk()) {
          in.skipNBytes(size);
          line();
          total += size;
        }
        line();
        return total;
      }
      String length = head.get("content-length");
      long bytes = length == null ? 0 : Long.parseLong(length);
      in.skipNBytes(bytes);
      return bytes;
    }

    private int chunk() throws IOException {
      String size = line();
      if (size == null) {
        throw new IOException("the stream ended within a body");
      }
      return Integer.parseInt(size, 16);
    }

    public String body(Head head) throws IOException {
      if ("chunked".equals(head.get("transfer-encoding"))) {
        StringBuilder all = new StringBuilder();
        for (int size = chunk(); size > 0; size = chunk()) {
          all.append(text(size));
          line();
        }
        line();
        return all.toString();
      }
      String length = head.get("content-length");
      return length == null ? "" : text(Integer.parseInt(length));
    }

    public String text(int bytes) throws IOException {
      byte[] read = in.readNBytes(bytes);
      if (read.length < bytes) {
        throw new IOException("the stream ended early");
      }
      return new String(read, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
