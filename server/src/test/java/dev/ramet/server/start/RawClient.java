// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests that no client library would send, over one connection as long as the host keeps
 * it.
 */
final class RawClient implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int TIMEOUT_MILLIS = 20_000;

  private final int port;
  private @Nullable Socket socket;
  private InputStream in = InputStream.nullInputStream();

  RawClient(int port) {
    this.port = port;
  }

  record Answer(int status, String body) {
    JsonNode json() {
      try {
        return MAPPER.readTree(body);
      } catch (IOException e) {
        return MAPPER.missingNode();
      }
    }
  }

  /** Sends a request; path and body are written unchanged, one byte for each character. */
  Answer send(String method, String path, @Nullable String body) throws IOException {
    boolean fresh = socket == null;
    try {
      return exchange(method, path, body);
    } catch (IOException e) {
      close();
      if (fresh) {
        throw e;
      }
      return exchange(method, path, body); // the host had closed the connection
    }
  }

  private Answer exchange(String method, String path, @Nullable String body) throws IOException {
    Socket open = socket;
    if (open == null) {
      open = new Socket(InetAddress.getLoopbackAddress(), port);
      open.setSoTimeout(TIMEOUT_MILLIS);
      open.setTcpNoDelay(true);
      socket = open;
      in = new BufferedInputStream(open.getInputStream());
    }
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    String head = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    if (body != null) {
      head += "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n";
    }
    request.writeBytes((head + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    if (body != null) {
      request.writeBytes(body.getBytes(StandardCharsets.ISO_8859_1));
    }
    OutputStream out = open.getOutputStream();
    out.write(request.toByteArray());
    out.flush();
    return answer(method);
  }

  private Answer answer(String method) throws IOException {
    String line = line();
    int status = Integer.parseInt(line.substring(9, 12));
    int length = 0;
    boolean chunked = false;
    boolean ends = false;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(15).strip());
      }
      chunked |= lower.startsWith("transfer-encoding:") && lower.contains("chunked");
      ends |= lower.startsWith("connection:") && lower.contains("close");
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (chunked) {
      for (int size = size(); size > 0; size = size()) {
        body.writeBytes(in.readNBytes(size));
        line();
      }
      line();
    } else if (!method.equals("HEAD")) {
      body.writeBytes(in.readNBytes(length));
    }
    if (ends) {
      close();
    }
    return new Answer(status, body.toString(StandardCharsets.UTF_8));
  }

  private int size() throws IOException {
    return Integer.parseInt(line().strip(), 16);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the host closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    Socket open = socket;
    socket = null;
    if (open != null) {
      open.close();
    }
  }
}
