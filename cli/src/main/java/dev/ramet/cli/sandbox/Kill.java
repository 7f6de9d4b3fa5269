// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that kills sandboxes. */
@Command(
    name = "kill",
    aliases = {"rm", "delete"},
    description = "Kills sandboxes and deletes their disks. Their snapshots stay.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet sandbox kill ID", "  ramet sandbox kill $(ramet sandbox ls -q)"})
final class Kill extends ApiCommand {
  @Parameters(paramLabel = "ID", arity = "1..*", description = "The sandboxes.")
  private List<String> ids = new ArrayList<>();

  Kill(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return ForEachId.apply(
        context(), ids, !json(), id -> client.delete("/sandboxes/" + Client.encode(id)));
  }
}
