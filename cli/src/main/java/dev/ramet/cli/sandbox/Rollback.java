// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.RollbackRequest;
import dev.ramet.api.sandbox.RollbackResult;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.HumanFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that rolls a sandbox back. */
@Command(
    name = "rollback",
    description = {
      "Puts a sandbox back to a snapshot: disk, memory and running programs. Its id stays.",
      "If it fails, the sandbox is unchanged."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  snapshot=$(ramet snapshot create ID)",
      "  ramet sandbox exec ID -- sh -c 'rm -rf /root/*'",
      "  ramet sandbox rollback ID $snapshot"
    })
final class Rollback extends ApiCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(index = "1", paramLabel = "SNAPSHOT", description = "Id or name of the snapshot.")
  @RequestField("snapshotID")
  private String snapshot = "";

  Rollback(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    ClientResponse answer =
        context()
            .during(
                "Rolling back " + id,
                () ->
                    client.post(
                        "/sandboxes/" + Client.encode(id) + "/rollback",
                        new RollbackRequest(snapshot)));
    if (json()) {
      context().json(answer.body());
    } else {
      RollbackResult r = answer.parse(RollbackResult.class);
      context()
          .out()
          .println(
              r.sandboxID()
                  + " is at "
                  + r.snapshotID()
                  + " after "
                  + HumanFormat.millis(r.totalMs()));
    }
    return 0;
  }
}
