// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Ground for builds of a container image that do not finish. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrokenBuildsGround {
  static final ObjectMapper JSON = new ObjectMapper();
  static final int CONTENT_BYTES = 64 << 20;
  static final String NAME = "broken";

  /** The phase in which a build is interrupted, with the program to stop in it, if any. */
  enum During {
    READING("ramet-image", "unpack"),
    LAYING_OUT("debugfs", "commands"),
    /** The machine runs, and its readiness command never succeeds. */
    WAITING("", "");

    private final String program;
    private final String word;

    During(String program, String word) {
      this.program = program;
      this.word = word;
    }
  }

  Path scratch;
  Path image;

  @BeforeAll
  void makeImage(@TempDir Path directory) throws Exception {
    scratch = directory;
    Path root = Files.createDirectory(scratch.resolve("root"));
    byte[] content = new byte[CONTENT_BYTES];
    new Random(7).nextBytes(content);
    Files.write(root.resolve("content"), content);
    image = scratch.resolve("image");
    OciImage.make(image, root, Map.of());
  }

  static Optional<ProcessHandle> machine(Path data) {
    return processes("none", data).stream()
        .filter(process -> Hosts.commandLine(process.pid()).contains("qemu-system"))
        .findFirst();
  }

  static Installed serve(Path data) throws Exception {
    return serve(data, Map.of());
  }

  static Installed serve(Path data, Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("RAMET_STORAGE_PROVISION", "OFF");
    return Installed.serve(data, settings);
  }

  /** Kills every process that is left, whatever the test's result. */
  static void end(Installed host, Path data) throws Exception {
    host.close();
    for (ProcessHandle process : processes("none", data)) {
      process.destroyForcibly();
    }
  }

  byte[] request(boolean ends) throws IOException {
    return JSON.writeValueAsBytes(
        Map.of(
            "name",
            NAME,
            "image",
            image.toString(),
            "noStart",
            true,
            "ready",
            ends ? "true" : "false",
            "diskSizeMB",
            160,
            "memoryMB",
            128));
  }

  /**
   * Starts a build and returns the operation's id. Without {@code ends} the build waits forever for
   * readiness.
   */
  String begin(Installed host, boolean ends) throws IOException {
    HttpURLConnection connection = host.connect("POST", "/templates/image");
    connection.setRequestProperty("Prefer", "respond-async");
    JsonNode answer = ask(connection, request(ends));
    assertEquals(202, connection.getResponseCode(), answer.toString());
    return answer.path("operationID").asText();
  }

  JsonNode build(Installed host) throws IOException {
    return ask(host.connect("POST", "/templates/image"), request(true));
  }

  static JsonNode operation(Installed host, String id) {
    try {
      return ask(host.connect("GET", "/operations/" + id), null);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  static JsonNode ask(HttpURLConnection connection, byte @Nullable [] body) throws IOException {
    if (body != null) {
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/json");
      connection.getOutputStream().write(body);
    }
    try (InputStream answer =
        connection.getResponseCode() < 400
            ? connection.getInputStream()
            : connection.getErrorStream()) {
      return JSON.readTree(answer);
    }
  }

  /**
   * Waits until the build reaches the given phase, stops the program of that phase, if any, and
   * returns the name of the build's directory.
   */
  static String reach(Installed host, Path data, String operation, During during) throws Exception {
    if (during == During.WAITING) {
      await(
          120,
          () -> "it never waits: " + operation(host, operation),
          () -> step(host, operation).contains("not ready yet") || ended(host, operation));
    } else {
      await(
          60,
          () -> "not seen: " + during + ": " + operation(host, operation),
          () -> stop(data, during) || ended(host, operation));
    }
    assertFalse(ended(host, operation), operation(host, operation).toString());
    return String.valueOf(new TreeSet<>(names(data.resolve("builds"))).first());
  }

  static String step(Installed host, String operation) {
    return operation(host, operation).path("step").asText();
  }

  static boolean ended(Installed host, String operation) {
    return !operation(host, operation).path("state").asText().equals("running");
  }

  /**
   * Stops the phase's program if it runs. A stopped program prints nothing and does not react to
   * SIGTERM.
   */
  static boolean stop(Path data, During during) {
    for (ProcessHandle process : processes("none", data)) {
      String commandLine = Hosts.commandLine(process.pid());
      if (commandLine.contains(during.program) && commandLine.contains(during.word)) {
        LoopFs.run(List.of("kill", "-STOP", "" + process.pid()));
        return true;
      }
    }
    return false;
  }

  static List<String> names(Path directory) throws IOException {
    try (var all = Files.list(directory)) {
      return all.map(path -> path.getFileName().toString()).toList();
    }
  }

  static void assertNothingLeft(Path data, String build, SortedSet<String> before, String when)
      throws Exception {
    assertEquals(
        List.of(),
        processes(build, data).stream().map(p -> Hosts.commandLine(p.pid())).toList(),
        when);
    assertEquals(before, RootFiles.of(data), when);
  }

  /** Returns the processes of a build and all others that work on the data root. */
  static List<ProcessHandle> processes(String build, Path data) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                Hosts.commandLine(process.pid()).contains(data + "/")
                    || environment(process.pid()).contains("=" + build + "\0"))
        .toList();
  }

  static String environment(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }

  static void await(int seconds, String otherwise, BooleanSupplier reached)
      throws InterruptedException {
    await(seconds, () -> otherwise, reached);
  }

  static void await(int seconds, Supplier<String> otherwise, BooleanSupplier reached)
      throws InterruptedException {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    while (!reached.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, otherwise);
      Thread.sleep(20);
    }
  }
}
