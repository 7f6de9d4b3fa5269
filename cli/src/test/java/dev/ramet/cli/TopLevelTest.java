// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TopLevelTest {
  private static CommandLine tree(String... args) {
    return Main.commandLine(CommandsTest.context(), args);
  }

  @Test
  void namesAreThoseOfTheCommands() {
    for (TopLevel.Entry entry : TopLevel.ALL) {
      CommandLine.Command command = entry.type().getAnnotation(CommandLine.Command.class);
      assertNotNull(command);
      List<String> names = new ArrayList<>(List.of(command.name()));
      names.addAll(List.of(command.aliases()));
      assertEquals(names, entry.names());
    }
  }

  @Test
  void onlyWhatIsAskedForIsPutTogether() {
    assertEquals(Set.of("sandbox", "sb"), tree("sb", "ls").getSubcommands().keySet());
    assertEquals(Set.of("serve"), tree("serve", "--port", "1").getSubcommands().keySet());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--help", "--server http://a sandbox ls", "sandboxes", "-V"})
  void allIsThereWhereTheFirstWordDoesNotTell(String line) {
    Set<String> all = tree().getSubcommands().keySet();
    assertEquals(TopLevel.ALL.stream().mapToInt(entry -> entry.names().size()).sum(), all.size());
    String[] args = line.isEmpty() ? new String[0] : line.split(" ", -1);
    assertEquals(all, tree(args).getSubcommands().keySet());
  }

  /**
   * Commands in it need not be put together, so that the list comes as fast as one command's help.
   */
  @Test
  void theListIsThatOfTheWholeTree() {
    assertEquals(tree().getUsageMessage(), tree("--help").getUsageMessage());
    tree("--help").getSubcommands().values().forEach(one -> assertNull(one.getCommand()));
    tree().getSubcommands().values().forEach(one -> assertNotNull(one.getCommand()));
  }

  /** The options that the root command passes to all subcommands. */
  @Test
  void aCommandAloneTakesWhatItTakesInTheWholeTree() {
    for (String name : List.of("sandbox", "doctor", "storage")) {
      assertEquals(usages(tree(), name), usages(tree(name), name));
    }
  }

  private static List<String> usages(CommandLine tree, String name) {
    CommandLine command = tree.getSubcommands().get(name);
    assertNotNull(command);
    List<String> usages = new ArrayList<>(List.of(command.getUsageMessage()));
    command.getSubcommands().values().forEach(sub -> usages.add(sub.getUsageMessage()));
    return usages;
  }
}
