// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs commands and transfers files in a guest through its agent. */
final class GuestShell {
  private static final ObjectMapper JSON = new ObjectMapper();
  // In the lab a machine in an emulated machine does the work.
  private static final int TIMEOUT_MILLIS = Boolean.getBoolean("ramet.lab") ? 240_000 : 60_000;
  private static final int END_OF_STREAM = 2;

  private final InetSocketAddress agent;
  private final @Nullable String token;

  GuestShell(InetSocketAddress agent) {
    this(agent, null);
  }

  /** For a guest whose agent requires a token. */
  GuestShell(InetSocketAddress agent, @Nullable String token) {
    this.agent = agent;
    this.token = token;
  }

  record Result(int exitCode, String stdout, String stderr) {}

  /** Runs a shell command that must succeed; returns its output without trailing white space. */
  String run(String command) throws IOException {
    Result result = execute(command);
    if (result.exitCode() != 0) {
      throw new AssertionError(command + " ended with " + result);
    }
    return result.stdout().stripTrailing();
  }

  Result execute(String command) throws IOException {
    HttpURLConnection connection = open("/process.Process/Start", "POST");
    connection.setRequestProperty("Content-Type", "application/connect+json");
    connection.setRequestProperty("Connect-Protocol-Version", "1");
    byte[] request =
        JSON.writeValueAsBytes(
            Map.of("process", Map.of("cmd", "/bin/sh", "args", List.of("-c", command))));
    ByteBuffer frame = ByteBuffer.allocate(5 + request.length);
    frame.put((byte) 0).putInt(request.length).put(request);
    connection.setDoOutput(true);
    connection.getOutputStream().write(frame.array());
    ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    int exitCode = -1;
    try (DataInputStream answer = new DataInputStream(connection.getInputStream())) {
      while (true) {
        int flags = answer.readUnsignedByte();
        byte[] message = new byte[answer.readInt()];
        answer.readFully(message);
        JsonNode node = JSON.readTree(message);
        if ((flags & END_OF_STREAM) != 0) {
          if (node.has("error")) {
            throw new IOException("agent: " + node);
          }
          return new Result(
              exitCode,
              stdout.toString(StandardCharsets.UTF_8),
              stderr.toString(StandardCharsets.UTF_8));
        }
        JsonNode event = node.path("event");
        stdout.write(Base64.getDecoder().decode(event.at("/data/stdout").asText("")));
        stderr.write(Base64.getDecoder().decode(event.at("/data/stderr").asText("")));
        if (event.has("end")) {
          exitCode = event.at("/end/exitCode").asInt(0);
        }
      }
    }
  }

  void write(String path, byte[] content) throws IOException {
    HttpURLConnection connection = open("/files?path=" + encode(path), "POST");
    connection.setRequestProperty("Content-Type", "application/octet-stream");
    connection.setDoOutput(true);
    connection.getOutputStream().write(content);
    if (connection.getResponseCode() != 200) {
      throw new IOException("writing " + path + ": " + connection.getResponseCode());
    }
  }

  byte[] read(String path) throws IOException {
    HttpURLConnection connection = open("/files?path=" + encode(path), "GET");
    try (InputStream content = connection.getInputStream()) {
      return content.readAllBytes();
    }
  }

  private HttpURLConnection open(String path, String method) throws IOException {
    URI uri =
        URI.create("http://" + agent.getAddress().getHostAddress() + ":" + agent.getPort() + path);
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    // A machine that was rolled back does not know the connection, and the JDK would keep it open
    // for seconds after the machine's exit.
    connection.setRequestProperty("Connection", "close");
    if (token != null) {
      connection.setRequestProperty("X-Access-Token", token);
    }
    return connection;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
