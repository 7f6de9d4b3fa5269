// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.cli.command.ListCommand;
import dev.ramet.cli.term.Terminal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Walks over all commands: their help is whole, and the parser's own texts reach nobody. */
final class CommandWalkTest {
  private static final Pattern SENTENCE = Pattern.compile("(?s)\\S.*[.:]");

  /** Texts of the parser's library for programmers. */
  private static final Pattern LIBRARY =
      Pattern.compile(
          "Show this help message|Print version information|Failed to convert|Value for"
              + " option|Invalid value for|Unmatched argument|Missing required|Expected"
              + " parameter|should be specified|Could not|is not an?"
              + " (int|long|boolean)|=<[a-z]|picocli");

  /** Returns every command, itself with all below it, in the order of the help. */
  static List<CommandLine> commands() {
    Set<CommandLine> all = new LinkedHashSet<>();
    collect(Main.commandLine(CommandsTest.context()), all);
    return List.copyOf(all);
  }

  private static void collect(CommandLine command, Set<CommandLine> all) {
    if (all.add(command)) {
      command.getSubcommands().values().forEach(below -> collect(below, all));
    }
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName(" ");
  }

  @Test
  void everyCommandAndArgumentIsDescribedInWholeSentences() {
    List<String> bad = new ArrayList<>();
    for (CommandLine command : commands()) {
      CommandSpec spec = command.getCommandSpec();
      check(name(command), spec.usageMessage().description(), bad);
      for (ArgSpec argument : spec.args()) {
        check(name(command) + " " + argument.paramLabel(), argument.description(), bad);
      }
    }
    assertEquals(List.of(), bad);
  }

  private static void check(String where, String[] description, List<String> bad) {
    if (description.length == 0) {
      bad.add(where + ": no description");
    }
    for (String line : description) {
      if (!SENTENCE.matcher(line.strip()).matches()) {
        bad.add(where + ": " + line);
      }
    }
  }

  @Test
  void helpOfCommandsIsTheSameByEveryWay() {
    for (CommandLine command : commands()) {
      String path = name(command).replaceFirst("^ramet ?", "");
      List<String> words = path.isEmpty() ? List.of() : List.of(path.split(" ", -1));
      List<String> option = new ArrayList<>(words);
      option.add("--help");
      List<String> help = new ArrayList<>(List.of("help"));
      help.addAll(words);
      String shown = run(option).out();
      assertEquals(shown, run(help).out(), path);
      assertFalse(LIBRARY.matcher(shown).find(), shown);
      for (OptionSpec one : command.getCommandSpec().options()) {
        assertTrue(one.hidden() || shown.contains(one.longestName()), path + one.longestName());
      }
    }
    FakeHost.Outcome none = run(List.of("help", "sandbox", "nothing"));
    assertEquals(2, none.status());
    assertTrue(none.err().startsWith("error: no such command: ramet sandbox nothing\n"));
  }

  private static FakeHost.Outcome run(List<String> args) {
    return FakeHost.run(Map.of(), new byte[0], args.toArray(new String[0]));
  }

  /** Every option of every command, wrong in every way that the parser knows. */
  @Test
  void errorsAreNotThoseOfTheLibrary() {
    for (CommandLine command : commands()) {
      List<String> words = List.of(name(command).split(" ", -1));
      words = words.subList(1, words.size());
      if (words.isEmpty() || words.equals(List.of("serve"))) {
        continue;
      }
      refused(words, "--no-such-option");
      for (OptionSpec option : command.getCommandSpec().options()) {
        if (option.usageHelp() || option.versionHelp()) {
          continue;
        }
        String typed = option.longestName();
        if (option.arity().max() == 0) {
          refused(words, typed + "=perhaps");
        } else {
          refused(words, typed);
          if (!option.isMultiValue()) {
            refused(words, typed, "1", typed, "2");
          }
          if (option.typeInfo().isMap() || Number.class.isAssignableFrom(boxed(option))) {
            refused(words, typed, "wrong");
          }
        }
      }
    }
  }

  private static Class<?> boxed(OptionSpec option) {
    Class<?> type = option.type();
    return type == int.class ? Integer.class : type == long.class ? Long.class : type;
  }

  private static void refused(List<String> words, String... args) {
    List<String> line = new ArrayList<>(words);
    line.addAll(List.of(args));
    FakeHost.Outcome done = run(line);
    // Commands that end with a program's status have one of their own for errors.
    assertTrue(done.status() == 2 || done.status() == 125, () -> line + ": " + done.err());
    assertFalse(LIBRARY.matcher(done.err()).find(), () -> line + ": " + done.err());
    assertTrue(done.err().startsWith("error: "), done.err());
  }

  @Test
  void listsNameTheirFilters() {
    try (FakeHost host = new FakeHost()) {
      for (CommandLine command : commands()) {
        if (command.getCommand() instanceof ListCommand) {
          List<String> line = new ArrayList<>(List.of(name(command).split(" ", -1)));
          line.remove(0);
          if (!command.getCommandSpec().positionalParameters().isEmpty()) {
            line.add("name");
          }
          line.addAll(List.of("--filter", "none=1"));
          String error = host.run(line.toArray(new String[0])).err();
          String keys = error.lines().findFirst().orElse("").replaceFirst(".* one of ", "");
          String[] description = command.getCommandSpec().usageMessage().description();
          assertEquals("Filters: " + keys + ".", description[description.length - 1]);
        }
      }
      assertEquals(List.of(), host.requests);
    }
  }

  /** A list or view that forgets the format would be the odd one out. */
  @Test
  void allThatListsOrShowsTakesAFormat() {
    Set<String> without = new TreeSet<>();
    for (CommandLine command : commands()) {
      String last = command.getCommandName();
      if (Set.of("ls", "list", "show", "tags", "diff", "recipes", "doctor", "usage", "status")
              .contains(last)
          && command.getCommandSpec().findOption("--output") == null) {
        without.add(name(command));
      }
    }
    assertEquals(Set.of(), without);
    assertFalse(Terminal.NONE.canAsk());
  }
}
