// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.command.Context;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** The root of the command tree. Its subcommands are in {@link TopLevel}. */
@Command(
    name = "ramet",
    description = "Snapshots, clones and rolls back running microVMs.",
    versionProvider = Ramet.Version.class,
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND")
final class Ramet {
  private final Context context;

  Ramet(Context context) {
    this.context = context;
  }

  int execute(ParseResult parsed) {
    CommandLine last = parsed.asCommandLineList().get(parsed.asCommandLineList().size() - 1);
    Integer helped = CommandLine.executeHelpRequest(parsed);
    if (helped != null) {
      return helped;
    }
    if (!(last.getCommand() instanceof java.util.concurrent.Callable)) {
      last.usage(context.err());
      return ErrorCode.INVALID_ARGUMENT.exitStatus();
    }
    context.command(last.getCommandSpec());
    return new CommandLine.RunLast().execute(parsed);
  }

  /** Provides the version. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"ramet " + number(), "Java " + Runtime.version()};
    }

    /** Returns the version of this program. */
    static String number() {
      Properties properties = new Properties();
      try (InputStream in = Ramet.class.getResourceAsStream("version.properties")) {
        properties.load(in);
      } catch (IOException e) {
        throw new RametException(ErrorCode.INTERNAL, "the version is not readable", e);
      }
      return properties.getProperty("version", "unknown");
    }
  }
}
