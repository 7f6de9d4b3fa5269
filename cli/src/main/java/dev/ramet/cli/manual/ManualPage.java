// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.manual;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The manual page of one command, in the macros of man(7). Picocli's own generator writes AsciiDoc,
 * which needs a second program. Used by one thread.
 */
public final class ManualPage {
  private final StringBuilder page = new StringBuilder();

  private ManualPage() {}

  /**
   * Writes the pages of a program and of all its commands.
   *
   * @param directory where the files go, such as {@code man1}; it is created
   * @param version the version of the program
   */
  public static void write(CommandLine root, Path directory, String version) throws IOException {
    Files.createDirectories(directory);
    writeAll(root, directory, version);
  }

  private static void writeAll(CommandLine command, Path directory, String version)
      throws IOException {
    CommandSpec spec = command.getCommandSpec();
    if (spec.usageMessage().hidden()) {
      return;
    }
    Files.writeString(
        directory.resolve(spec.qualifiedName("-") + ".1"),
        of(command, version),
        StandardCharsets.UTF_8);
    for (CommandLine below : below(command)) {
      writeAll(below, directory, version);
    }
  }

  private static Set<CommandLine> below(CommandLine command) {
    return new LinkedHashSet<>(command.getSubcommands().values());
  }

  /** Returns the page of one command. */
  static String of(CommandLine command, String version) {
    ManualPage made = new ManualPage();
    made.command(command, version);
    return made.page.toString();
  }

  private void command(CommandLine command, String version) {
    CommandSpec spec = command.getCommandSpec();
    String name = spec.qualifiedName("-");
    String[] description = spec.usageMessage().description();
    page.append(".TH \"")
        .append(escape(name.toUpperCase(Locale.ROOT)))
        .append("\" 1 \"\" \"ramet ");
    page.append(escape(version)).append("\" \"Ramet\"\n");
    section("NAME");
    line(name + " - " + withoutDot(description.length == 0 ? name : description[0]));
    section("SYNOPSIS");
    page.append(".nf\n");
    synopsis(command).lines().forEach(this::line);
    page.append(".fi\n");
    section("DESCRIPTION");
    for (String text : description) {
      line(text);
    }
    if (spec.aliases().length > 0) {
      page.append(".PP\n");
      line("Short: " + String.join(", ", spec.aliases()) + ".");
    }
    arguments(spec);
    commands(command);
    section("EXIT STATUS");
    ExitStatuses.of(command)
        .forEach(
            (status, meaning) -> {
              page.append(".TP\n.B ").append(status).append('\n');
              line(meaning);
            });
    footer(spec.usageMessage().footer());
    if (command.getParent() != null) {
      section("SEE ALSO");
      String parent = command.getParent().getCommandSpec().qualifiedName("-");
      page.append(".BR ").append(escape(parent)).append(" (1)\n");
    }
  }

  private static String synopsis(CommandLine command) {
    CommandLine.Help help =
        command
            .getHelpFactory()
            .create(
                command.getCommandSpec(),
                CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    return help.synopsis(0).stripTrailing();
  }

  private void arguments(CommandSpec spec) {
    List<OptionSpec> options = spec.options().stream().filter(option -> !option.hidden()).toList();
    if (options.isEmpty() && spec.positionalParameters().isEmpty()) {
      return;
    }
    section("OPTIONS");
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      page.append(".TP\n\\fI").append(escape(parameter.paramLabel())).append("\\fR\n");
      line(Descriptions.of(parameter));
    }
    for (OptionSpec option : options) {
      String names =
          Arrays.stream(option.names())
              .map(one -> "\\fB" + escape(one) + "\\fR")
              .collect(Collectors.joining(", "));
      String value =
          option.arity().max() == 0 ? "" : "=\\fI" + escape(option.paramLabel()) + "\\fR";
      page.append(".TP\n").append(names).append(value).append('\n');
      line(Descriptions.of(option));
    }
  }

  private void commands(CommandLine command) {
    if (below(command).isEmpty()) {
      return;
    }
    section("COMMANDS");
    for (CommandLine below : below(command)) {
      CommandSpec spec = below.getCommandSpec();
      if (!spec.usageMessage().hidden()) {
        page.append(".TP\n.BR ").append(escape(spec.qualifiedName("-"))).append(" (1)\n");
        line(spec.usageMessage().description()[0]);
      }
    }
  }

  /** The indented lines at the beginning of a footer are examples; the rest is text. */
  private void footer(String[] lines) {
    int examples = 0;
    while (examples < lines.length && lines[examples].startsWith("  ")) {
      examples++;
    }
    if (examples > 0) {
      section("EXAMPLES");
      page.append(".nf\n");
      Arrays.stream(lines, 0, examples).forEach(this::line);
      page.append(".fi\n");
    }
    if (examples < lines.length) {
      section("NOTES");
      Arrays.stream(lines, examples, lines.length)
          .filter(line -> !line.isBlank())
          .forEach(this::line);
    }
  }

  private void section(String name) {
    page.append(".SH ").append(name).append('\n');
  }

  private void line(String text) {
    String escaped = escape(Descriptions.plain(text).replace("$${", "${"));
    boolean control = escaped.startsWith(".") || escaped.startsWith("'");
    page.append(control ? "\\&" : "").append(escaped).append('\n');
  }

  private static String withoutDot(String text) {
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }

  private static String escape(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
  }
}
