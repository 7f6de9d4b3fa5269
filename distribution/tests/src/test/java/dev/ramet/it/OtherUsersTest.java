// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.agent.Command;
import dev.ramet.client.Ramet;
import dev.ramet.client.Sandbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Attacks the roots of an installed host with real machines as another user of this machine, who
 * tries every path, reads, and plants files for guests. Needs root to become that user.
 */
@Timeout(600)
final class OtherUsersTest {
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all");

  /** Files of shared volumes, whose modes guests see and set. */
  private static final Pattern GUESTS = Pattern.compile(".*/shared-volumes/[^/]+/files(/.*)?");

  private Path place;
  private Path data;
  private Path memory;

  @BeforeEach
  void make() throws IOException {
    place = Files.createTempDirectory("ramet-it-");
    // Only the host's own permissions may keep others out.
    mode(place, 0755);
    data = place.resolve("data");
    memory = place.resolve("memory");
  }

  @AfterEach
  void remove() throws Exception {
    // Kills machines left by a failed test: their command lines contain this directory.
    List<ProcessHandle> machines =
        ProcessHandle.allProcesses()
            .filter(process -> Hosts.commandLine(process.pid()).contains(place + "/"))
            .toList();
    machines.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle machine : machines) {
      machine.onExit().get(1, TimeUnit.MINUTES);
    }
    for (Path root : List.of(data, memory)) {
      if (Files.isDirectory(root)) {
        Installed.Run run =
            Installed.alone(
                Map.of(), List.of("storage", "remove", "--data-root", root.toString(), "--yes"));
        assertEquals(0, run.status(), run.err());
      }
    }
    Trees.delete(place);
  }

  private Installed host(String umask) throws Exception {
    return Installed.serveBy(
        List.of("/bin/sh", "-c", "umask " + umask + " && exec \"$0\" \"$@\""),
        data,
        Map.of(
            "RAMET_STORAGE_MEMORY_ROOT",
            memory.toString(),
            "RAMET_GUEST_DIR",
            GuestFiles.directory().toString()));
  }

  @Test
  void nobodyElseReadsOrWritesAnythingOfAHost() throws Exception {
    Path files;
    String first;
    String second;
    try (Installed host = host("000")) {
      succeeds(host.run("template", "build", "micro"));
      String volume = succeeds(host.run("volume", "create", "shared"));
      first = succeeds(host.run("sandbox", "create", "--volume", "shared:/mnt/v"));
      second = succeeds(host.run("sandbox", "create", "--volume", "shared:/mnt/v"));
      Ramet ramet = host.client();
      guestsSeeTheModesThatGuestsSet(ramet.sandbox(first), ramet.sandbox(second));
      ramet.sandbox(second).snapshot("kept");
      files = find("shared-volumes/" + volume + "/files");
      assertClosed(files);

      // Proves that the search finds open files.
      List<Path> opened = openAsBefore();
      List<Path> reached = reached();
      assertTrue(reached.containsAll(opened), () -> opened + " of which only " + reached);
      assertTrue(reached.stream().anyMatch(path -> path.endsWith("console.log")));
      assertEquals("secret\n", attack("cat " + files + "/secret"));
      attack("echo planted > " + files + "/planted");
      assertEquals("planted\n", ramet.sandbox(first).files().readText("/mnt/v/planted"));
    }
    try (Installed host = host("022")) {
      assertClosed(files);
      Ramet ramet = host.client();
      // Running sandboxes keep working, and new files are closed as well.
      ramet.sandbox(first).run("echo more > /mnt/v/more").text();
      assertEquals("more\n", ramet.sandbox(second).files().readText("/mnt/v/more"));
      guestsSeeTheModesThatGuestsSet(ramet.sandbox(second), ramet.sandbox(first));
      succeeds(host.run("sandbox", "create", "-t", "kept"));
      assertClosed(files);
      for (Sandbox sandbox : ramet.list()) {
        sandbox.kill();
      }
    }
    assertEquals(0755, mode(place), "what is above the roots is not Ramet's");
  }

  /**
   * Checks modes in a volume and in a template, which are independent of the modes of the host's
   * own files.
   */
  private static void guestsSeeTheModesThatGuestsSet(Sandbox one, Sandbox other) {
    one.run(
            "cd /mnt/v && rm -rf secret script private d && umask 022 && echo secret > secret"
                + " && echo > script && chmod 755 script && echo > private && chmod 600 private"
                + " && mkdir d && echo > d/f")
        .text();
    assertEquals(
        "1777\n644\n755\n600\n755\n644\n",
        other.run("cd /mnt/v && stat -c %a . secret script private d d/f").text());
    assertEquals("secret\n", other.run(Command.shell("cat /mnt/v/secret").as("user")).text());
    assertEquals(
        "755\n644\n755\n1777\n",
        other.run(Command.shell("stat -c %a / /etc/passwd /etc /tmp").as("user")).text());
    assertTrue(other.run(Command.shell("cat /etc/passwd").as("user")).text().contains("root:"));
  }

  @Test
  void aRecipeMakesGuestsFilesByAnUmaskOfItsOwn() throws Exception {
    Path recipe = Files.createDirectories(place.resolve("guest/templates/mask")).resolve("recipe");
    Files.writeString(recipe, "#!/bin/sh\necho the umask is $(umask)\nexit 1\n");
    mode(recipe, 0755);
    try (Installed host =
        Installed.serve(
            data,
            Map.of(
                "RAMET_GUEST_DIR",
                place.resolve("guest").toString(),
                "RAMET_STORAGE_PROVISION",
                "OFF"))) {
      Installed.Run run = host.run("template", "build", "mask");
      assertTrue(run.err().contains("the umask is 0022"), run.err());
    }
  }

  @Test
  void aRootOfSomebodyElseIsNotCalledClosed() throws Exception {
    Files.createDirectory(data);
    mode(data, 0777);
    List<String> command = new ArrayList<>(AS_NOBODY);
    command.addAll(
        List.of(
            Installed.program().toString(),
            "storage",
            "provision",
            "--data-root",
            data.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    assertTrue(said.contains(data + " stays open to other users"), said);
    assertEquals(0777, mode(data));
  }

  private void assertClosed(Path files) throws Exception {
    assertEquals(List.of(), reached(), "reached by another user");
    List<String> open = new ArrayList<>();
    for (Path path : all()) {
      int mode = mode(path);
      if (!Files.isSymbolicLink(path)
          && !GUESTS.matcher(path.toString()).matches()
          && (mode & 077) != 0) {
        open.add(Integer.toOctalString(mode) + " " + path);
      }
    }
    assertEquals(List.of(), open);
    for (String attack :
        List.of(
            "cat " + files + "/secret",
            "echo planted > " + files + "/planted2",
            "mkdir " + data + "/planted",
            "ls " + data,
            "ls " + memory)) {
      assertNotEquals(0, start(attack).waitFor(), attack);
    }
    assertFalse(Files.exists(files.resolve("planted2")));
  }

  /** Sets all modes to those of a host without restrictions; returns the changed paths. */
  private List<Path> openAsBefore() throws IOException {
    List<Path> opened = new ArrayList<>();
    for (Path path : all()) {
      if (!path.toString().contains("/volumes/")
          && !GUESTS.matcher(path.toString()).matches()
          && (Files.isDirectory(path) || Files.isRegularFile(path))
          && !Files.isSymbolicLink(path)) {
        mode(path, Files.isDirectory(path) ? 0755 : 0644);
        opened.add(path);
      }
    }
    return opened;
  }

  /** Returns the paths that another user may read, write or list. */
  private List<Path> reached() throws Exception {
    StringBuilder paths = new StringBuilder();
    all().forEach(path -> paths.append(path).append('\n'));
    Path list = Files.createTempFile(place, "all", null);
    Files.writeString(list, paths);
    try {
      List<String> command = new ArrayList<>(AS_NOBODY);
      command.addAll(
          List.of(
              "sh",
              "-c",
              "while IFS= read -r p; do if [ -r \"$p\" ] || [ -w \"$p\" ]; then echo \"$p\"; fi;"
                  + " done"));
      Process process =
          new ProcessBuilder(command)
              .redirectInput(list.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String found = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor());
      return found.lines().map(Path::of).toList();
    } finally {
      Files.delete(list);
    }
  }

  private List<Path> all() throws IOException {
    List<Path> all = new ArrayList<>(List.of(data, memory));
    for (Path root : List.of(data, memory)) {
      all.addAll(Trees.below(root));
    }
    return all;
  }

  private Path find(String end) throws IOException {
    return all().stream().filter(path -> path.endsWith(end)).findAny().orElseThrow();
  }

  private static String attack(String script) throws Exception {
    Process process = start(script);
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), script);
    return out;
  }

  private static Process start(String script) throws IOException {
    List<String> command = new ArrayList<>(AS_NOBODY);
    command.addAll(List.of("sh", "-c", script));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private static String succeeds(Installed.Run run) {
    assertEquals(0, run.status(), run.err());
    return run.out().strip();
  }

  private static void mode(Path path, int mode) throws IOException {
    Files.setAttribute(path, "unix:mode", mode);
  }

  private static int mode(Path path) throws IOException {
    return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
  }
}
