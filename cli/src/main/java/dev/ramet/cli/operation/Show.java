// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.operation;

import dev.ramet.api.operation.ApiError;
import dev.ramet.api.operation.OperationInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that shows one operation. */
@Command(
    name = "show",
    aliases = "info",
    description = "Shows one operation: its progress, its result, or why it failed.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet operation show OPERATION",
      "  ramet operation show OPERATION --json | jq .error"
    })
final class Show extends ViewCommand {
  @Parameters(paramLabel = "OPERATION", description = "Id of the operation.")
  private String id = "";

  Show(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return show(
        client.get("/operations/" + Client.encode(id)),
        OperationInfo.class,
        OperationInfo::operationID,
        Show::rows);
  }

  private static void rows(Table table, OperationInfo o) {
    table.row("Operation", o.operationID());
    table.row("Kind", o.kind());
    table.row("Subject", o.subject());
    table.row("State", o.state());
    table.row("Started", HumanFormat.timeAndAge(o.startedAt(), Instant.now()));
    if (o.endedAt() != null) {
      table.row("Ended", HumanFormat.time(o.endedAt()));
    }
    String doing = progressText(o);
    if (!doing.isEmpty()) {
      table.row("Step", doing);
    }
    if (!o.results().isEmpty()) {
      table.row("Made", String.join(", ", o.results()));
    }
    ApiError error = o.error();
    if (error != null) {
      table.row("Error", error.error() + ": " + error.message());
      if (error.remedy() != null) {
        table.row("Remedy", error.remedy());
      }
    }
  }

  /** Returns the current step and the progress. */
  static String progressText(OperationInfo o) {
    Long done = o.doneBytes();
    Long total = o.totalBytes();
    if (done != null && total != null) {
      return HumanFormat.size(done) + " of " + HumanFormat.size(total);
    }
    return o.step() == null ? "" : o.step();
  }
}
