// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.command.Connection;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Errors;
import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The main class of the program {@code ramet}. */
public final class Main {
  private Main() {}

  /** Runs one command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(run(Context.ofProcess(), args));
  }

  /**
   * Runs one command.
   *
   * @return its exit status
   */
  public static int run(Context context, String... args) {
    // Without a command there is nothing to show but the list.
    return (args.length == 0 ? commandLine(context, "--help") : commandLine(context, args))
        .execute(args);
  }

  /**
   * Creates the tree of commands, as far as it is needed.
   *
   * @param args the command line to execute; empty for the whole tree
   */
  static CommandLine commandLine(Context context, String... args) {
    Ramet ramet = new Ramet(context);
    Errors errors = new Errors(context);
    Factory factory = new Factory(context);
    CommandLine line = new CommandLine(ramet, factory);
    boolean listOnly = TopLevel.needsListOnly(args);
    for (TopLevel.Entry entry : TopLevel.of(args)) {
      line.addSubcommand(listOnly ? entry.listed() : new CommandLine(entry.type(), factory));
    }
    addConnection(context.connection(), line.getCommandSpec());
    line.setResourceBundle(new StandardTexts());
    line.setOut(new PrintWriter(context.out(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(context.err(), true, StandardCharsets.UTF_8));
    line.setColorScheme(
        CommandLine.Help.defaultColorScheme(
            context.terminal().output() && context.terminal().colour() ? Ansi.ON : Ansi.OFF));
    line.setExecutionExceptionHandler(errors);
    line.setParameterExceptionHandler(errors);
    line.setExecutionStrategy(ramet::execute);
    line.setUsageHelpAutoWidth(true);
    // The pages have it; help is for a look.
    List<String> sections = new ArrayList<>(line.getHelpSectionKeys());
    sections.remove(UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST);
    line.setHelpSectionKeys(sections);
    return line;
  }

  /** Adds the options that choose the host; help shows them where they have an effect. */
  private static void addConnection(Connection connection, CommandSpec spec) {
    connection.addTo(spec, !(spec.userObject() instanceof Connection.User));
    Set<CommandLine> below = new LinkedHashSet<>(spec.subcommands().values());
    below.forEach(one -> addConnection(connection, one.getCommandSpec()));
  }

  /** Creates command objects, whose constructors all take the context. */
  private record Factory(Context context) implements IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      for (Constructor<?> constructor : type.getDeclaredConstructors()) {
        if (constructor.getParameterCount() == 1
            && constructor.getParameterTypes()[0] == Context.class) {
          constructor.setAccessible(true);
          return type.cast(constructor.newInstance(context));
        }
      }
      return CommandLine.defaultFactory().create(type);
    }
  }
}
