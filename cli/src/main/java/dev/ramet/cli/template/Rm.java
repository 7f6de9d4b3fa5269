// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

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

/** The command that deletes templates. */
@Command(
    name = "rm",
    aliases = "delete",
    description = {
      "Deletes templates. Sandboxes started from them keep running.",
      "An id or NAME:TAG is one version; NAME is all versions of that name."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet template rm micro", "  ramet template rm web:v1"})
final class Rm extends ApiCommand {
  @Parameters(paramLabel = "TEMPLATE", arity = "1..*", description = "Ids, NAME:TAG, or NAME.")
  private List<String> ids = new ArrayList<>();

  @Mixin private final Confirmation confirmation = new Confirmation();

  Rm(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    if (!confirmation.allowsSeveral(context(), "delete", count(client), "template versions")) {
      return Confirmation.DECLINED;
    }
    return ForEachId.apply(
        context(), ids, !json(), id -> client.delete("/templates/" + Client.encode(id)));
  }

  private int count(Client client) {
    return confirmation.isGiven() ? ids.size() : Versions.count(client, "/templates", ids);
  }
}
