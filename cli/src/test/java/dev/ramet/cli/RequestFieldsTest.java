// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.cli.command.RequestFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

/** Tests that errors of the host about a field of a request name the option that fills it. */
final class RequestFieldsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Fields that no option fills, because the command always sends the same. */
  private static final Set<String> FIXED = Set.of("replaceNever");

  /** Commands with arguments for all fields that they send; # stands for an existing file. */
  private static final List<String> LINES =
      List.of(
          "sandbox create -t x --timeout 1h --name n -l a=b -e A=b --cpu 1 --memory 64M --disk 64M"
              + " --mode full --internet --allow-out 192.0.2.1 --deny-out all --egress-proxy"
              + " 192.0.2.1:1080 --egress-proxy-user u --egress-proxy-password-file # --private"
              + " --host-mask h --https-port 8443 --volume data:/mnt",
          "sandbox clone a -n 2 -c 2 --mode full --timeout 1h",
          "sandbox fork a -n 2 -c 2 --mode full --timeout 1h",
          "sandbox resume a --timeout 1h",
          "sandbox pause a --disk-only --mode full",
          "sandbox rollback a s",
          "sandbox rename a web",
          "sandbox label a b=c d-",
          "sandbox timeout a 1h",
          "sandbox network a --allow-out 192.0.2.1 --deny-out all",
          "snapshot create a --name n --description d --mode full --verify --if-changed"
              + " --replaces s",
          "snapshot create a --disk-only",
          "snapshot fork s -n 1 -l a=b --timeout 1h --cpu 1 --memory 64M --disk 64M --mode full",
          "template build micro --name n --cpu 1 --memory 64M --disk 64M",
          "template build --oci # --platform linux/amd64 --tag t --start x --ready x --name n",
          "template import --name n --kernel # --rootfs # --initrd # --append x --cpu 1 --memory 64M"
              + " --cold",
          "template tag t a",
          "volume create data",
          "secret create s --from # -m a=b",
          "storage export s /b --since r",
          "storage import /b --name n");

  @AutoClose private final FakeHost host = new FakeHost();
  @TempDir private Path directory;
  private String wrong = "nothing";

  private String[] words(String line) throws IOException {
    Path file = directory.resolve("file");
    return Files.writeString(file, "content").toFile().exists()
        ? line.replace("#", file.toString()).split(" ", -1)
        : new String[0];
  }

  private static Map<String, ArgSpec> fieldsOf(String[] words) {
    CommandLine command = Main.commandLine(CommandsTest.context());
    for (String word : List.of(words).subList(0, 2)) {
      command = Objects.requireNonNull(command.getSubcommands().get(word), word);
    }
    return RequestFields.of(command.getCommandSpec());
  }

  /** Returns the fields of a body by which an option could be wrong. */
  private static void collect(JsonNode node, String prefix, Set<String> known, Set<String> found) {
    node.properties()
        .forEach(
            field -> {
              String path = prefix + field.getKey();
              if (known.contains(path) || !field.getValue().isObject()) {
                found.add(path);
              } else {
                collect(field.getValue(), path + ".", known, found);
              }
            });
  }

  @Test
  void everyFieldThatACommandSendsHasAnOption() throws Exception {
    host.on(
        "/",
        (exchange, body) ->
            FakeHost.answer(
                exchange,
                400,
                "{\"code\":400,\"message\":\"%s: is wrong\",\"error\":\"INVALID_ARGUMENT\",\"field\":\"%s\"}"
                    .formatted(wrong, wrong)));
    List<String> bad = new ArrayList<>();
    Set<String> tried = new TreeSet<>();
    for (String line : LINES) {
      String[] words = words(line);
      Map<String, ArgSpec> known = fieldsOf(words);
      wrong = "nothing";
      host.requests.clear();
      FakeHost.Outcome first = host.run(words);
      assertTrue(first.err().contains("error: nothing: is wrong\n"), line + first.err());
      String prefix = line.startsWith("sandbox network") ? "network." : "";
      Set<String> sent = new TreeSet<>();
      FakeHost.Request request = host.requests.get(host.requests.size() - 1);
      collect(JSON.readTree(request.text()), prefix, known.keySet(), sent);
      sent.removeAll(FIXED);
      assertTrue(!sent.isEmpty(), line);
      for (String field : sent) {
        wrong = field;
        String err = host.run(words).err();
        if (!err.matches("(?s)(.*\n)?error: (--[a-z-]+|[A-Z|=\\[\\]:-]+): is wrong\n.*")) {
          bad.add(words[0] + " " + words[1] + " " + field + ": " + err);
        }
        tried.add(words[0] + " " + words[1]);
      }
    }
    assertEquals(List.of(), bad);
    assertEquals(commandsWithFields(), tried, "commands that no line tries");
  }

  /** Returns the commands whose options declare fields of requests with a body. */
  private static Set<String> commandsWithFields() {
    Set<String> names = new TreeSet<>();
    for (CommandLine command : CommandWalkTest.commands()) {
      if (!RequestFields.of(command.getCommandSpec()).isEmpty()) {
        names.add(command.getCommandSpec().qualifiedName(" ").replaceFirst("^ramet ", ""));
      }
    }
    names.remove("snapshot wait"); // it sends a parameter
    return names;
  }

  @Test
  void aPartOfAFieldIsShownBesideTheOption() {
    for (String[] one :
        new String[][] {
          {"envVars.LANG", "--env LANG"},
          {"network.allowOut[0]", "--allow-out"},
          {"network.rules.example.org", "--rules example.org"},
          {"elsewhere.memoryMB", "elsewhere.memoryMB"}
        }) {
      host.on(
          "/sandboxes",
          400,
          "{\"message\":\"%s: is wrong\",\"error\":\"INVALID_ARGUMENT\",\"field\":\"%s\"}"
              .formatted(one[0], one[0]));
      assertEquals(
          "error: " + one[1] + ": is wrong\n", host.run("sandbox", "create").err(), one[0]);
      host.remove("/sandboxes");
    }
  }

  /** The text is for people: without the field, nothing is read from it. */
  @Test
  void aMessageWithoutAFieldStaysAsItIs() {
    host.on("/sandboxes", 400, "{\"message\":\"memoryMB: x\",\"error\":\"INVALID_ARGUMENT\"}");
    assertEquals("error: memoryMB: x\n", host.run("sandbox", "create").err());
  }
}
