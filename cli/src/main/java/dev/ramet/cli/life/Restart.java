// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.life;

import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that restarts sandboxes. */
@Command(
    name = "restart",
    description =
        "Boots sandboxes again from their own disks, under the same ids. Their memory and running"
            + " programs are lost.",
    footerHeading = "%nExamples:%n",
    footer = "  ramet sandbox restart ID")
public final class Restart extends ApiCommand {
  @Parameters(paramLabel = "ID", arity = "1..*", description = "The sandboxes, by id or name.")
  private List<String> ids = new ArrayList<>();

  Restart(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return ForEachId.apply(
        context(),
        ids,
        !json(),
        id -> {
          context()
              .during(
                  "Restarting " + id,
                  () -> client.post("/sandboxes/" + Client.encode(id) + "/restart", Map.of()));
          context().err().println(id + " has booted from its disk; what was in memory is lost");
        });
  }
}
