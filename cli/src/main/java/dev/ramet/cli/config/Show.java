// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.config;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.OutputOptions;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.OutputFormat;
import dev.ramet.cli.term.Table;
import dev.ramet.config.Configuration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that shows settings. */
@Command(
    name = "show",
    description = {
      "Shows every setting with its value and the source of the value.",
      "Secrets are not shown. The status is 2 if a setting is invalid."
    },
    exitCodeList = {
      "2:A setting is invalid, or the command line is wrong.",
      "3:The file of settings does not exist.",
      "5:The host is not installed here."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet config show",
      "  ramet config show --json | jq '.settings[] | select(.source.kind != \"default\")'"
    })
final class Show implements Callable<Integer> {
  private final Context context;
  @Mixin private HostOptions options = new HostOptions();

  @Mixin private OutputOptions output = new OutputOptions();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  Show(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    OutputFormat format = output.format(json);
    Configuration configuration = HostSettingsFile.load(context, options.file(), options.flags());
    HostOptions.warn(context, configuration.warnings());
    if (format.isTable()) {
      Table table = new Table(context.paint(), "SETTING", "VALUE", "FROM");
      ConfigurationView.addTo(table, configuration);
      output.print(context, table);
    } else if (format.kind() == OutputFormat.Kind.NAME) {
      ConfigurationView.keys(configuration).forEach(context.out()::println);
    } else {
      OutputOptions.data(context, format, Json.bytes(ConfigurationView.tree(configuration)));
    }
    return configuration.problems().isEmpty()
        ? 0
        : HostOptions.print(context, configuration.problems());
  }
}
