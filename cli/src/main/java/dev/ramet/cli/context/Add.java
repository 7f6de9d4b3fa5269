// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.context;

import dev.ramet.cli.command.Connection;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.target.ContextFile;
import dev.ramet.cli.target.SavedContext;
import dev.ramet.cli.target.Target;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that saves a context. */
@Command(
    name = "add",
    aliases = "create",
    description = {
      "Saves a host under a name. --ca names the authority to trust for it.",
      "The key itself is not saved, only where it is. Nothing is asked of the host."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet context add build https://build.example.org:3000 --ca ca.pem --key-file build.key",
      "  ramet context add prod https://prod.example.org --key-command 'pass ramet/prod' --use"
    })
final class Add implements Callable<Integer>, Connection.User {
  private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private final Context context;

  @Parameters(index = "0", paramLabel = "NAME", description = "A name of your choice.")
  private String name = "";

  @Parameters(
      index = "1",
      paramLabel = "ADDRESS",
      description = "The host's address, such as https://build.example.org:3000.")
  private String address = "";

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = "A file whose first line is the API key.")
  private @Nullable Path keyFile;

  @Option(
      names = "--key-command",
      paramLabel = "COMMAND",
      description = "A command of the shell that prints the API key, such as one of a keyring.")
  private @Nullable String keyCommand;

  @Option(names = "--use", description = "Ask this host from now on.")
  private boolean use;

  @Option(names = "--replace", description = "Replace a context of the same name.")
  private boolean replace;

  Add(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (!NAMES.matcher(name).matches() || name.equals(Target.LOCAL)) {
      throw invalid(
          "not a name for a context: " + name,
          "use letters, digits, dots, dashes and underscores, such as build; local is the host on"
              + " this machine");
    }
    if (!isAddress(address)) {
      throw invalid(
          "not an address of a host: " + address, "give one like https://build.example.org:3000");
    }
    if (keyFile != null && keyCommand != null) {
      throw invalid("--key-file and --key-command exclude each other", "give one of them");
    }
    Path authority = context.connection().authority();
    SavedContext saved =
        new SavedContext(
            name,
            address,
            authority == null ? null : existing("--ca", authority),
            keyFile == null ? null : existing("--key-file", keyFile),
            keyCommand);
    if (saved.keyFile() != null) {
      warnIfOpen(Path.of(saved.keyFile()));
    }
    ContextFile.of(context.environment()).add(saved, replace, use);
    context.out().println(name);
    return 0;
  }

  private static boolean isAddress(String text) {
    try {
      URI uri = URI.create(text);
      return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null
          && uri.getUserInfo() == null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static String existing(String option, Path file) {
    Path absolute = file.toAbsolutePath().normalize();
    if (!Files.isReadable(absolute) || Files.isDirectory(absolute)) {
      throw invalid(
          option + ": no file that can be read: " + absolute, "give the path of an existing file");
    }
    return absolute.toString();
  }

  private void warnIfOpen(Path file) {
    try {
      Set<PosixFilePermission> modes = Files.getPosixFilePermissions(file);
      if (modes.contains(PosixFilePermission.GROUP_READ)
          || modes.contains(PosixFilePermission.OTHERS_READ)) {
        context.notice("warning: other users can read " + file + "; run: chmod 600 " + file);
      }
    } catch (IOException | UnsupportedOperationException e) {
      // A file system without modes has no such readers either.
    }
  }

  private static RametException invalid(String message, String remedy) {
    return new RametException(ErrorCode.INVALID_ARGUMENT, message, remedy, null);
  }
}
