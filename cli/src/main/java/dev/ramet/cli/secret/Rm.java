// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.secret;

import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Confirmation;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command that deletes secrets. */
@Command(
    name = "rm",
    aliases = "delete",
    description = "Deletes secrets. From then on, requests that need them get 502.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet secret rm openai"})
final class Rm extends ApiCommand {
  @Parameters(paramLabel = "SECRET", arity = "1..*", description = "Ids or names.")
  private List<String> ids = new ArrayList<>();

  @Mixin private final Confirmation confirmation = new Confirmation();

  Rm(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    if (!confirmation.allowsSeveral(context(), "delete", ids.size(), "secrets")) {
      return Confirmation.DECLINED;
    }
    return ForEachId.apply(
        context(), ids, !json(), id -> client.delete("/secrets/" + Client.encode(id)));
  }
}
