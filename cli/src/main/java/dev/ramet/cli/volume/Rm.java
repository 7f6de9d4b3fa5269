// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.volume;

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

/** The command that deletes volumes. */
@Command(
    name = "rm",
    aliases = "delete",
    description = "Deletes volumes with all their files, unless a sandbox uses them.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet volume rm data", "  ramet volume rm $(ramet volume ls -q)"})
final class Rm extends ApiCommand {
  @Parameters(paramLabel = "VOLUME", arity = "1..*", description = "NAMEs or ids.")
  private List<String> volumes = new ArrayList<>();

  @Mixin private final Confirmation confirmation = new Confirmation();

  Rm(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    if (!confirmation.allowsSeveral(context(), "delete", volumes.size(), "volumes")) {
      return Confirmation.DECLINED;
    }
    return ForEachId.apply(
        context(),
        volumes,
        !json(),
        volume -> client.delete("/volumes/" + Client.encode(Names.id(client, volume))));
  }
}
