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

/** The command that exports a snapshot to a directory. */
@Command(
    name = "export",
    description = {
      "Writes a snapshot or template to a new directory on the host's machine.",
      "The directory holds sparse images of the disk and memory, the device state, the"
          + " kernel, and a SHA-256 of each. It can be imported by itself, there or on another"
          + " host.",
      "With --since it holds only the differences from an older snapshot, and can be"
          + " imported by hosts that have the content of that snapshot.",
      "An export that is stopped or fails leaves no files."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet storage export before-upgrade /backup/before-upgrade",
      "  ramet storage export tuesday /backup/tuesday --since monday",
      "  tar -C /backup -cSf - before-upgrade | ssh other tar -C /backup -xSf -",
      "",
      "Everybody who can read the directory can read all the memory of the machine."
    })
final class Export extends Exchange {
  @Parameters(
      index = "0",
      paramLabel = "SNAPSHOT",
      description = "Id or name of a snapshot or template.")
  @RequestField("snapshot")
  private String snapshot = "";

  @Parameters(
      index = "1",
      paramLabel = "DIRECTORY",
      description = "A new directory in an existing one.")
  @RequestField("directory")
  private Path directory = Path.of("");

  @Option(
      names = "--since",
      paramLabel = "OLDER",
      description = "Id or name of another snapshot or template: write only what differs from it.")
  @RequestField("since")
  private @Nullable String since;

  Export(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return exchange(
        client,
        "/storage/export",
        new StorageExchange.Export(snapshot, absolute(directory), since),
        "Exporting " + snapshot);
  }

  @Override
  void print(StorageExchange.Result result) {
    context().out().println(result.directory());
    context()
        .err()
        .println(
            "Exported "
                + result.kind()
                + " "
                + result.id()
                + basePrefix(result)
                + size(result)
                + ".");
  }
}
