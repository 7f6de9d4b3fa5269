// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.BuildTemplateRequest;
import dev.ramet.cli.Context;
import dev.ramet.cli.Options;
import dev.ramet.cli.http.Client;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Builds a template from a recipe. */
@Command(
    name = "build",
    description = {
      "Builds a template from a recipe, boots it, captures it warm, and prints its id.",
      "When the same content is there already, nothing is built."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet template build",
      "  ramet template build micro --name big --memory 1G --cpu 2 --disk 4G"
    })
final class Build extends Making {
  @Parameters(
      arity = "0..1",
      paramLabel = "RECIPE",
      defaultValue = "micro",
      description = "The recipe (default: ${DEFAULT-VALUE}); see: ramet template recipes")
  private String recipe = "micro";

  @Option(names = "--name", paramLabel = "NAME", description = "The recipe's name unless given.")
  private @Nullable String name;

  @Option(names = "--cpu", paramLabel = "N", description = "Virtual CPUs.")
  private @Nullable Integer cpu;

  @Option(names = "--memory", paramLabel = "SIZE", description = "Memory, such as 512M or 1G.")
  private @Nullable String memory;

  @Option(names = "--disk", paramLabel = "SIZE", description = "Size of the disk, such as 4G.")
  private @Nullable String disk;

  Build(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return make(
        client,
        "/templates",
        new BuildTemplateRequest(
            recipe,
            name,
            cpu,
            Options.mebibytes("--memory", memory),
            Options.mebibytes("--disk", disk)));
  }
}
