// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.config.HostOptions;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The command that runs the host in this process. The host's classes are available only when the
 * launcher was called with {@code serve}: all other commands have a short class path and start in a
 * tenth of a second.
 */
@Command(
    name = "serve",
    description = {
      "Runs the host in the foreground until a signal stops it; sandboxes keep running.",
      "Other settings come from the environment (RAMET_PORT, RAMET_BIND, RAMET_DATA_ROOT,"
          + " ...) and from the file of settings. The host starts only if all of them are"
          + " valid: ramet config check reports errors, ramet config show prints the values in"
          + " use."
    },
    exitCodeList = {
      "0:Help was shown; a host ends by a signal or an error.",
      "2:A setting is invalid, or the command line is wrong.",
      "4:Another host uses the data root, or the port is taken.",
      "5:The machine lacks something, such as a program or a permission.",
      "130:Stopped by Ctrl-C.",
      "143:Stopped by SIGTERM, as by systemd."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet serve",
      "  ramet serve --port 3001 --data-root /srv/ramet",
      "  ramet serve --set ramet.engine-wait=60s"
    })
final class Serve implements Callable<Integer> {
  private final Context context;

  @Mixin private HostOptions options = new HostOptions();

  Serve(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    String[] arguments = arguments().toArray(new String[0]);
    try {
      return dev.ramet.server.start.Main.run(options.file(), arguments);
    } catch (NoClassDefFoundError e) {
      String home = context.environment("RAMET_HOME");
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "the host is not on the class path",
          "run it with the launcher: " + (home == null ? "bin" : home + "/bin") + "/ramet serve",
          e);
    }
  }

  /** Returns the given options as arguments of the host. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    options.flags().forEach((key, value) -> arguments.add("-" + key + "=" + value));
    return arguments;
  }
}
