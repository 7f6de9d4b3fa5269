// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Confirmation;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.command.Versions;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command that deletes snapshots. */
@Command(
    name = "rm",
    aliases = "delete",
    description = "Deletes snapshots.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet snapshot rm SNAPSHOT", "  ramet snapshot rm $(ramet snapshot ls -q)"})
final class Rm extends ApiCommand {
  @Parameters(
      paramLabel = "SNAPSHOT",
      arity = "1..*",
      description = "Ids, NAME:TAG, or NAME for all versions of it.")
  private List<String> ids = new ArrayList<>();

  @Mixin private final Confirmation confirmation = new Confirmation();

  Rm(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    if (!confirmation.allowsSeveral(context(), "delete", count(client), "snapshots")) {
      return Confirmation.DECLINED;
    }
    return ForEachId.apply(
        context(), ids, !json(), id -> client.delete("/snapshots/" + Client.encode(id)));
  }

  private int count(Client client) {
    return confirmation.isGiven() ? ids.size() : Versions.count(client, "/snapshots", ids);
  }
}
