// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.api.sandbox.SandboxInfo;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client of one sandbox's agent, connected to the machine's own port or through the host. Sends
 * requests in the calling thread, over connections that are kept. Thread-safe.
 */
public final class Agent {
  static final int PORT = 49_983;
  private static final int TIMEOUT_MILLIS = 300_000;
  private static final int CHUNK_BYTES = 1 << 16;
  private static final int END = 2;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String base;
  private final @Nullable String sandbox;

  private Agent(String base, @Nullable String sandbox) {
    this.base = base;
    this.sandbox = sandbox;
  }

  /** Returns a client that bypasses the host. */
  public static Agent direct(SandboxInfo sandbox) throws IOException {
    InetSocketAddress address = Machine.forwarded(sandbox, PORT);
    return new Agent("http://" + address.getHostString() + ":" + address.getPort(), null);
  }

  /** Returns a client that connects through the host, as users do. */
  public static Agent through(Api api, SandboxInfo sandbox) {
    return new Agent("http://127.0.0.1:" + api.port(), sandbox.sandboxID());
  }

  /** Sends a request that costs the agent nothing. */
  public void health() throws IOException {
    try (InputStream answer = open("GET", "/health").getInputStream()) {
      answer.readAllBytes();
    }
  }

  /** Reads a file and returns its size in bytes. */
  public long download(String path) throws IOException {
    try (InputStream answer = open("GET", "/files?path=" + path).getInputStream()) {
      byte[] chunk = new byte[CHUNK_BYTES];
      long bytes = 0;
      for (int count = answer.read(chunk); count >= 0; count = answer.read(chunk)) {
        bytes += count;
      }
      return bytes;
    }
  }

  /** Writes a file of zeros. */
  public void upload(String path, long bytes) throws IOException {
    HttpURLConnection connection = open("POST", "/files?path=" + path);
    connection.setDoOutput(true);
    connection.setFixedLengthStreamingMode(bytes);
    connection.setRequestProperty("Content-Type", "application/octet-stream");
    byte[] chunk = new byte[CHUNK_BYTES];
    try (OutputStream body = connection.getOutputStream()) {
      for (long left = bytes; left > 0; left -= Math.min(left, CHUNK_BYTES)) {
        body.write(chunk, 0, (int) Math.min(left, CHUNK_BYTES));
      }
    }
    try (InputStream answer = connection.getInputStream()) {
      answer.readAllBytes();
    }
  }

  /** Runs a program to its end and returns its standard output. */
  public byte[] exec(String program, String... arguments) throws IOException {
    ObjectNode message = JSON.createObjectNode();
    ObjectNode process = message.putObject("process").put("cmd", program);
    List.of(arguments).forEach(process.putArray("args")::add);
    byte[] payload = JSON.writeValueAsBytes(message);
    HttpURLConnection connection = open("POST", "/process.Process/Start");
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/connect+json");
    connection.setRequestProperty("Connect-Protocol-Version", "1");
    try (OutputStream body = connection.getOutputStream()) {
      body.write(
          ByteBuffer.allocate(5 + payload.length)
              .put((byte) 0)
              .putInt(payload.length)
              .put(payload)
              .array());
    }
    try (DataInputStream in = new DataInputStream(connection.getInputStream())) {
      return output(in, program);
    }
  }

  /** Reads a stream of messages: a byte of flags, four of length, JSON. The last one has a flag. */
  private static byte[] output(DataInputStream in, String program) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    boolean ended = false;
    while (true) {
      int flags = in.readUnsignedByte();
      JsonNode message = JSON.readTree(in.readNBytes(in.readInt()));
      if ((flags & END) != 0) {
        if (!ended || message.has("error")) {
          throw new IOException(program + " did not end as programs do: " + message);
        }
        in.readAllBytes(); // The connection is kept only if nothing is left in it.
        return out.toByteArray();
      }
      JsonNode event = message.path("event");
      ended |= event.has("end");
      String text = event.path("data").path("stdout").asText("");
      out.writeBytes(Base64.getDecoder().decode(text));
    }
  }

  private HttpURLConnection open(String method, String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(base + path).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    if (sandbox != null) {
      connection.setRequestProperty("E2b-Sandbox-Id", sandbox);
      connection.setRequestProperty("E2b-Sandbox-Port", Integer.toString(PORT));
    }
    return connection;
  }
}
