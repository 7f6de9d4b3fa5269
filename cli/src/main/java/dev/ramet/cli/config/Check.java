// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.config;

import dev.ramet.cli.command.Context;
import dev.ramet.config.Configuration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command that checks settings and prints the errors in them. */
@Command(
    name = "check",
    description = {
      "Reports every error in the settings, each with its place.",
      "The status is 0 if there is none, otherwise 2. Starts and changes nothing."
    },
    exitCodeList = {
      "0:The settings have no errors.",
      "2:A setting is invalid, or the command line is wrong.",
      "3:The file of settings does not exist.",
      "5:The host is not installed here."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet config check",
      "  ramet config check --config new.yaml",
      "  ramet config check --set ramet.port=80"
    })
final class Check implements Callable<Integer> {
  private final Context context;
  @Mixin private HostOptions options = new HostOptions();

  Check(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Configuration configuration = HostSettingsFile.load(context, options.file(), options.flags());
    HostOptions.warn(context, configuration.warnings());
    if (configuration.problems().isEmpty()) {
      context
          .out()
          .println(
              configuration.file() == null
                  ? "no file of settings; no errors"
                  : configuration.file() + ": no errors");
      return 0;
    }
    return HostOptions.print(context, configuration.problems());
  }
}
