// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.it.Installed.Run;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks builds of container images that do not finish: the host is killed, the caller cancels, the
 * disk is full. Nothing is left behind, and the next build under the name succeeds.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BrokenBuildsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONTENT_BYTES = 64 << 20;
  private static final String NAME = "broken";

  /** The phase in which a build is interrupted, with the program to stop in it, if any. */
  private enum During {
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

  // Too little for the kernel, for the image's files, and for the disk made of them.
  private static final long[] ROOM_MEGABYTES = {2, 30, 100};

  // How long a machine has run when the free space is taken.
  private static final int[] RUNS_MILLIS = {0, 200};

  private Path scratch;
  private Path image;

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

  @Test
  void aHostThatIsKilledLeavesNothingOfABuild() throws Exception {
    Path data = Files.createDirectory(scratch.resolve("killed"));
    Installed host = serve(data);
    try {
      SortedSet<String> before = RootFiles.of(data);
      for (During during : During.values()) {
        String operation = begin(host, false);
        String build = reach(host, data, operation, during);
        host.server().destroyForcibly().waitFor();
        assertFalse(before.equals(RootFiles.of(data)), "there is something to be removed");
        host = serve(data);
        assertNothingLeft(data, build, before, during.toString());
        assertFalse(host.run("template", "ls").out().contains(NAME), during.toString());
      }
      assertBuilds(host);
    } finally {
      end(host, data);
    }
  }

  @Test
  void oneThatIsCancelledEndsAtOnceAndLeavesNothing() throws Exception {
    Path data = Files.createDirectory(scratch.resolve("cancelled"));
    Installed host = serve(data);
    try {
      SortedSet<String> before = RootFiles.of(data);
      for (During during : During.values()) {
        String operation = begin(host, false);
        String build = reach(host, data, operation, during);
        Run taken = host.run("template", "build", "--oci", "" + image, "--name", NAME);
        assertEquals(4, taken.status(), taken.err());
        if (during == During.READING) {
          assertEquals(202, host.request("DELETE", "/operations/" + operation, null));
        } else {
          Run cancelled = host.run("operation", "cancel", operation);
          assertEquals(0, cancelled.status(), cancelled.err());
        }
        // A readiness check in the guest takes up to ten seconds; a recipe's process is not waited
        // for.
        await(
            during == During.WAITING ? 60 : 30,
            "it goes on: " + during,
            () -> !operation(host, operation).path("state").asText().equals("running"));
        JsonNode ended = operation(host, operation);
        assertEquals("cancelled", ended.path("state").asText(), ended.toString());
        assertEquals("CANCELLED", ended.path("error").path("error").asText(), ended.toString());
        assertNothingLeft(data, build, before, during.toString());
      }
      assertBuilds(host);
    } finally {
      end(host, data);
    }
  }

  @Test
  void aFullFileSystemIsNamedAndNothingIsLeftOnIt() throws Exception {
    Path mount = Files.createDirectory(scratch.resolve("small"));
    try (LoopFs small = LoopFs.xfs(mount, 600L << 20)) {
      Path data = Files.createDirectory(small.root().resolve("data"));
      // A guest that cannot write may never answer.
      Installed host = serve(data, Map.of("RAMET_AGENT_TIMEOUT", "60s"));
      try {
        SortedSet<String> before = RootFiles.of(data);
        long room = free(small);
        for (long megabytes : ROOM_MEGABYTES) {
          small.fill(megabytes << 20);
          assertNoRoom(build(host), small, megabytes + " MiB");
          assertNothingLeft(data, "none", before, megabytes + " MiB");
          small.unfill();
          // XFS frees the blocks of deleted files in the background.
          await(60, "room is lost", () -> free(small) > room - (8L << 20));
        }
        for (int millis : RUNS_MILLIS) {
          String when = "a machine of " + millis + " ms";
          String operation = begin(host, true);
          fillBeside(host, operation, data, millis, small);
          await(
              180, () -> "it goes on: " + operation(host, operation), () -> ended(host, operation));
          assertNoRoom(operation(host, operation).path("error"), small, when);
          assertNothingLeft(data, "none", before, when);
          small.unfill();
          await(60, "room is lost", () -> free(small) > room - (8L << 20));
        }
        String waiting = begin(host, false);
        reach(host, data, waiting, During.WAITING);
        small.fill(0);
        await(180, () -> "it goes on: " + operation(host, waiting), () -> ended(host, waiting));
        assertNoRoom(operation(host, waiting).path("error"), small, "waiting");
        assertNothingLeft(data, "none", before, "waiting");
        small.unfill();
        await(60, "room is lost", () -> free(small) > room - (8L << 20));
        theWayOutIsOpen(host, small);
        assertNothingLeft(data, "none", before, "in the end");
      } finally {
        end(host, data);
      }
    }
  }

  /**
   * Takes all free space while a build's machine is stopped, so that the amount written by then
   * does not depend on the speed of this host. A machine that still boots has no room for its
   * capture.
   */
  private static void fillBeside(
      Installed host, String operation, Path data, int millis, LoopFs small) throws Exception {
    await(
        180,
        () -> "no machine: " + operation(host, operation),
        () -> machine(data).isPresent() || ended(host, operation));
    String machine = "" + machine(data).orElseThrow().pid();
    Thread.sleep(millis);
    LoopFs.run(List.of("kill", "-STOP", machine));
    try {
      small.fill(0);
    } finally {
      LoopFs.run(List.of("kill", "-CONT", machine));
    }
  }

  private static Optional<ProcessHandle> machine(Path data) {
    return processes("none", data).stream()
        .filter(process -> Hosts.commandLine(process.pid()).contains("qemu-system"))
        .findFirst();
  }

  private static long free(LoopFs small) {
    return small.root().toFile().getUsableSpace();
  }

  private static void assertNoRoom(JsonNode refused, LoopFs full, String when) {
    String said = when + ": " + refused;
    assertEquals(507, refused.path("code").asInt(), said);
    assertEquals("NO_SPACE", refused.path("error").asText(), said);
    assertTrue(refused.path("message").asText().contains(full.root().toString()), said);
    assertTrue(refused.path("remedy").asText().matches(".*(delete|remove).*"), said);
  }

  /** Checks that deleting things to make room works without any free space. */
  private void theWayOutIsOpen(Installed host, LoopFs full) throws Exception {
    JsonNode built = build(host);
    assertTrue(built.has("templateID"), built.toString());
    Run created = host.run("sandbox", "create", "-t", NAME);
    assertEquals(0, created.status(), created.err());
    full.fill(0);
    Run killed = host.run("sandbox", "kill", created.out().strip());
    assertEquals(0, killed.status(), killed.err());
    full.fill(0);
    Run removed = host.run("template", "rm", NAME);
    assertEquals(0, removed.status(), removed.err());
    full.unfill();
  }

  private static Installed serve(Path data) throws Exception {
    return serve(data, Map.of());
  }

  private static Installed serve(Path data, Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("RAMET_STORAGE_PROVISION", "OFF");
    return Installed.serve(data, settings);
  }

  /** Kills every process that is left, whatever the test's result. */
  private static void end(Installed host, Path data) throws Exception {
    host.close();
    for (ProcessHandle process : processes("none", data)) {
      process.destroyForcibly();
    }
  }

  private byte[] request(boolean ends) throws IOException {
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
  private String begin(Installed host, boolean ends) throws IOException {
    HttpURLConnection connection = host.connect("POST", "/templates/image");
    connection.setRequestProperty("Prefer", "respond-async");
    JsonNode answer = ask(connection, request(ends));
    assertEquals(202, connection.getResponseCode(), answer.toString());
    return answer.path("operationID").asText();
  }

  private JsonNode build(Installed host) throws IOException {
    return ask(host.connect("POST", "/templates/image"), request(true));
  }

  private void assertBuilds(Installed host) throws Exception {
    JsonNode built = build(host);
    assertTrue(built.has("templateID"), built.toString());
    assertEquals(0, host.run("template", "rm", NAME).status());
  }

  private static JsonNode operation(Installed host, String id) {
    try {
      return ask(host.connect("GET", "/operations/" + id), null);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static JsonNode ask(HttpURLConnection connection, byte @Nullable [] body)
      throws IOException {
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
  private static String reach(Installed host, Path data, String operation, During during)
      throws Exception {
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

  private static String step(Installed host, String operation) {
    return operation(host, operation).path("step").asText();
  }

  private static boolean ended(Installed host, String operation) {
    return !operation(host, operation).path("state").asText().equals("running");
  }

  /**
   * Stops the phase's program if it runs. A stopped program prints nothing and does not react to
   * SIGTERM.
   */
  private static boolean stop(Path data, During during) {
    for (ProcessHandle process : processes("none", data)) {
      String commandLine = Hosts.commandLine(process.pid());
      if (commandLine.contains(during.program) && commandLine.contains(during.word)) {
        LoopFs.run(List.of("kill", "-STOP", "" + process.pid()));
        return true;
      }
    }
    return false;
  }

  private static List<String> names(Path directory) throws IOException {
    try (var all = Files.list(directory)) {
      return all.map(path -> path.getFileName().toString()).toList();
    }
  }

  private static void assertNothingLeft(
      Path data, String build, SortedSet<String> before, String when) throws Exception {
    assertEquals(
        List.of(),
        processes(build, data).stream().map(p -> Hosts.commandLine(p.pid())).toList(),
        when);
    assertEquals(before, RootFiles.of(data), when);
  }

  /** Returns the processes of a build and all others that work on the data root. */
  private static List<ProcessHandle> processes(String build, Path data) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                Hosts.commandLine(process.pid()).contains(data + "/")
                    || environment(process.pid()).contains("=" + build + "\0"))
        .toList();
  }

  private static String environment(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }

  private static void await(int seconds, String otherwise, BooleanSupplier reached)
      throws InterruptedException {
    await(seconds, () -> otherwise, reached);
  }

  private static void await(int seconds, Supplier<String> otherwise, BooleanSupplier reached)
      throws InterruptedException {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    while (!reached.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, otherwise);
      Thread.sleep(20);
    }
  }
}
