// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.api.storage.StorageExchange;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that creates a snapshot from an exported directory. */
@Command(
    name = "import",
    description = {
      "Creates a snapshot or template from an exported directory, and prints its id.",
      "Checks every byte against the digests in the directory first; the directory stays."
          + " If it was exported with --since, this host must have the snapshot that it builds"
          + " on."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet storage import /backup/before-upgrade",
      "  ramet sandbox create -t $(ramet storage import /backup/before-upgrade --name again)",
      "",
      "Import only from sources you trust: the hypervisor reads the device state."
    })
final class Import extends Exchange {
  @Parameters(paramLabel = "DIRECTORY", description = "The directory, on the host's machine.")
  @RequestField("directory")
  private Path directory = Path.of("");

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Its name; unless given, the name it had.")
  @RequestField("name")
  private @Nullable String name;

  Import(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return exchange(
        client,
        "/storage/import",
        new StorageExchange.Import(absolute(directory), name),
        "Importing " + directory);
  }

  @Override
  void print(StorageExchange.Result result) {
    context().out().println(result.id());
    context()
        .err()
        .println(
            "Imported "
                + result.kind()
                + (result.name() == null ? "" : " " + result.name())
                + basePrefix(result)
                + size(result)
                + ".");
  }
}
