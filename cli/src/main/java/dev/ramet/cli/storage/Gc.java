// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.api.storage.StorageCheck;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that removes objects that nothing needs. */
@Command(
    name = "gc",
    description = {
      "Removes the remains of unfinished and deleted objects below the roots of a running"
          + " host.",
      "Never removes an object that a client knows."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet storage gc --dry-run    only list it", "  ramet storage gc"})
final class Gc extends ApiCommand {
  private static final int LEFT = 1;

  @Option(names = "--dry-run", description = "Only list what would be removed.")
  private boolean dryRun;

  Gc(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    ClientResponse answer =
        context()
            .during(
                dryRun ? "Looking for unneeded files" : "Removing unneeded files",
                () -> client.post("/storage/gc", new StorageCheck.Collect(dryRun ? true : null)));
    StorageCheck found = answer.parse(StorageCheck.class);
    boolean resisted =
        !dryRun && found.findings().stream().anyMatch(f -> !f.repair().equals("done"));
    if (json()) {
      context().json(answer.body());
      return resisted ? LEFT : 0;
    }
    if (found.findings().isEmpty()) {
      context().out().println("Nothing is left over.");
      return 0;
    }
    Table table = new Table(context().paint(), "REMOVED", "SIZE", "WHAT", "PATH");
    for (StorageCheck.Finding f : found.findings()) {
      table.row(
          f.repair().equals("done") ? "yes" : "no",
          HumanFormat.size(f.bytes()),
          f.what(),
          f.path());
    }
    context().print(table);
    context()
        .out()
        .println(HumanFormat.size(found.bytes()) + (dryRun ? " would come free." : " in all."));
    return resisted ? LEFT : 0;
  }
}
