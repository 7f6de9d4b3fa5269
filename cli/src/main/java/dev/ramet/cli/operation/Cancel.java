// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.operation;

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

/** The command that cancels operations. */
@Command(
    name = "cancel",
    description = {
      "Cancels operations.",
      "An operation ends at its next step and undoes its changes. Template builds and"
          + " imports, storage exports and imports can be cancelled."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet operation cancel OPERATION"})
final class Cancel extends ApiCommand {
  @Parameters(paramLabel = "OPERATION", arity = "1..*", description = "Ids of operations.")
  private List<String> ids = new ArrayList<>();

  @Mixin private final Confirmation confirmation = new Confirmation();

  Cancel(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    if (!confirmation.allowsSeveral(context(), "cancel", ids.size(), "operations")) {
      return Confirmation.DECLINED;
    }
    return ForEachId.apply(
        context(),
        ids,
        !json(),
        id -> {
          byte[] answer = client.delete("/operations/" + Client.encode(id)).body();
          if (json()) {
            context().json(answer);
          }
        });
  }
}
