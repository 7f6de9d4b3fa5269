// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.operation;

import dev.ramet.api.operation.OperationInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lists operations. */
@Command(
    name = "ls",
    aliases = "list",
    description = "Lists operations, the newest first.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet operation ls",
      "  ramet operation ls --state failed",
      "  ramet operation ls --kind sandbox.clone --json | jq '.[].error'"
    })
final class Ls extends ApiCommand {
  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "Only those in this state: running, done, failed or cancelled.")
  private @Nullable String state;

  @Option(names = "--kind", paramLabel = "KIND", description = "Only those of this kind.")
  private @Nullable String kind;

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      defaultValue = "100",
      description = "How many, at most 1000. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print only the ids.")
  private boolean quiet;

  Ls(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    String path = "/operations?limit=" + limit + query("state", state) + query("kind", kind);
    byte[] list = client.get(path).body();
    if (quiet) {
      return ids(list, OperationInfo[].class, OperationInfo::operationID);
    }
    Instant now = Instant.now();
    Table table =
        new Table(context().paint(), "OPERATION", "KIND", "SUBJECT", "STATE", "STEP", "STARTED");
    return list(
        list,
        OperationInfo[].class,
        table,
        o ->
            table.row(
                o.operationID(),
                o.kind(),
                o.subject(),
                o.state(),
                Show.progressText(o),
                HumanFormat.timeSince(o.startedAt(), now)));
  }

  private static String query(String name, @Nullable String value) {
    return value == null ? "" : "&" + name + "=" + Client.encode(value);
  }
}
