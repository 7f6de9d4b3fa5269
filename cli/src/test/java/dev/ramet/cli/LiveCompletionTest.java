// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.cli.completion.LiveNames;
import dev.ramet.cli.http.Client;
import dev.ramet.testing.Require;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Tests the completion of all commands, and of what a host has. */
final class LiveCompletionTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir private static Path directory;
  private static Path script = Path.of("");

  @BeforeAll
  static void write() throws Exception {
    script = directory.resolve("ramet.bash");
    Files.write(script, FakeHost.run(Map.of(), new byte[0], "completion", "bash").bytes());
  }

  /** Completes several lines in one bash; the last word of each is the one to complete. */
  private static List<String> complete(String ramet, List<List<String>> lines) throws Exception {
    StringBuilder program = new StringBuilder("compopt() { :; }\nramet() { " + ramet + "; }\n");
    program.append(". ").append(script).append('\n');
    for (List<String> line : lines) {
      program.append("COMP_WORDS=(ramet");
      line.forEach(word -> program.append(" '").append(word).append('\''));
      program.append("); COMP_CWORD=").append(line.size());
      program.append("; COMP_LINE=\"${COMP_WORDS[*]}\"; COMPREPLY=(); _ramet_completion ramet");
      program.append(" \"${COMP_WORDS[COMP_CWORD]}\"; echo ${COMPREPLY[*]}\n");
    }
    Path file = Files.writeString(directory.resolve("program"), program);
    Process bash =
        new ProcessBuilder("bash", file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, bash.waitFor());
    return out.lines().map(String::strip).toList();
  }

  @Test
  void everyCommandAndOptionIsCompleted() throws Exception {
    List<List<String>> lines = new ArrayList<>();
    List<SortedSet<String>> expected = new ArrayList<>();
    for (CommandLine command : CommandWalkTest.commands()) {
      String path = command.getCommandSpec().qualifiedName(" ").replaceFirst("^ramet ?", "");
      List<String> words =
          new ArrayList<>(path.isEmpty() ? List.of() : List.of(path.split(" ", -1)));
      SortedSet<String> options = new TreeSet<>();
      for (OptionSpec option : command.getCommandSpec().options()) {
        if (!option.hidden()) {
          options.addAll(List.of(option.names()));
        }
      }
      words.add("-");
      lines.add(words);
      expected.add(options);
      if (!command.getSubcommands().isEmpty()) {
        List<String> below = new ArrayList<>(words.subList(0, words.size() - 1));
        below.add("");
        lines.add(below);
        expected.add(new TreeSet<>(command.getSubcommands().keySet()));
      }
    }
    List<String> completed = complete("false", lines);
    for (int i = 0; i < lines.size(); i++) {
      SortedSet<String> found = new TreeSet<>(List.of(completed.get(i).split(" ", -1)));
      SortedSet<String> missing = new TreeSet<>(expected.get(i));
      missing.removeAll(found);
      assertEquals(new TreeSet<>(), missing, lines.get(i) + " completes " + found);
    }
  }

  @Test
  void idsComeFromTheHostWhereTheyBelong() throws Exception {
    // The fake program answers with the kind of object that it is asked for.
    assertEquals(
        List.of(
            "sandbox-1 sandbox-2",
            "sandbox-1 sandbox-2",
            "sandbox-2",
            "snapshot-1 snapshot-2",
            "image-1 image-2",
            "sandbox-1 sandbox-2",
            "",
            ""),
        complete(
            "[ \"$1 $2\" = 'completion --names' ] && echo $3-1 $3-2",
            List.of(
                List.of("sandbox", "show", ""),
                List.of("sb", "info", "--json", ""),
                List.of("sandbox", "kill", "sandbox-1", "sandbox-2"),
                List.of("sandbox", "rollback", "a", ""),
                List.of("sandbox", "create", "-t", ""),
                List.of("snapshot", "ls", "--sandbox", ""),
                List.of("sandbox", "show", "a", ""),
                List.of("sandbox", "create", "--timeout", ""))));
    assertEquals(List.of(""), complete("return 6", List.of(List.of("sandbox", "show", ""))));
  }

  @Test
  void aHostIsAskedForIdsAndNames() {
    try (FakeHost host = new FakeHost()) {
      host.on("/v2/sandboxes", 200, "[" + Answers.sandbox("abc", ",\"name\":\"web\"") + "]");
      host.on("/templates", 200, "[" + Answers.TEMPLATE + "]");
      host.on("/snapshots", 500, "{}");
      assertEquals(List.of("abc", "web"), names(host, "sandbox", LONG));
      assertEquals(List.of("micro", "t1"), names(host, "template", LONG));
      assertEquals(List.of(), names(host, "snapshot", LONG));
      FakeHost.Outcome unknown = host.run("completion", "--names", "nothing");
      assertEquals("0 ", unknown.status() + " " + unknown.out() + unknown.err());
    }
  }

  @Test
  void namesThatAShellWouldExpandAreLeftOut() {
    try (FakeHost host = new FakeHost()) {
      host.on(
          "/secrets",
          200,
          "[{\"name\":\"$(id)\"},{\"name\":\"`id`\"},{\"name\":\"a b\"},{\"name\":\"-x\"},"
              + "{\"name\":\"\"},{\"name\":\"a\\u001b\"},{\"name\":\"ci/key:v1.2_3\"}]");
      assertEquals(List.of("ci/key:v1.2_3"), names(host, "secret", LONG));
    }
  }

  private static List<String> names(FakeHost host, String kind, Duration limit) {
    return List.copyOf(LiveNames.of(kind, limit, () -> new Client(host.address(), null, null)));
  }

  @Test
  void completionGivesUpOnAHostThatDoesNotAnswer() {
    CountDownLatch never = new CountDownLatch(1);
    try (FakeHost host = new FakeHost()) {
      host.on(
          "/v2/sandboxes",
          (exchange, body) -> {
            try {
              never.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      assertEquals(List.of(), names(host, "sandbox", Duration.ofMillis(1)));
    }
  }

  @Test
  void fishKnowsTheCommandsToo() {
    String made = FakeHost.run(Map.of(), new byte[0], "completion", "fish").out();
    for (CommandLine command : CommandWalkTest.commands()) {
      String path = command.getCommandSpec().qualifiedName(" ").replaceFirst("^ramet ?", "");
      for (OptionSpec option : command.getCommandSpec().options()) {
        if (!option.hidden()) {
          String name = " -l " + option.longestName().substring(2) + " ";
          assertTrue(
              made.lines().anyMatch(l -> l.contains("\"" + path + "\"") && l.contains(name)),
              path + name);
        }
      }
    }
  }

  @Test
  void fishCompletesCommandsAndIds() throws Exception {
    Require.feature("fish", Files.isExecutable(Path.of("/usr/bin/fish")), "fish is not installed");
    String made = FakeHost.run(Map.of(), new byte[0], "completion", "fish").out();
    Path file = Files.writeString(directory.resolve("ramet.fish"), made);
    String program =
        "function ramet; echo $argv[3]-1; end; source %s; for l in 'sandbox cl' 'sb show ' 'sandbox create --net' 'snapshot ls --sandbox '; complete -C \"ramet $l\" | cut -f 1; end"
            .formatted(file);
    Process fish =
        new ProcessBuilder("/usr/bin/fish", "--no-config", "-c", program)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(fish.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, fish.waitFor());
    assertEquals("clone\nsandbox-1\nsandbox-1\n", out);
  }
}
