// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.operation;

import dev.ramet.api.operation.OperationInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ListCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.output.Listing.HostFilter;
import dev.ramet.cli.term.HumanFormat;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lists operations. */
@Command(
    name = "ls",
    aliases = "list",
    description = {"Lists operations, the newest first.", "Filters: state, kind, subject."},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet operation ls",
      "  ramet operation ls --state failed",
      "  ramet operation ls --kind sandbox.clone --json | jq '.[].error'"
    })
final class Ls extends ListCommand<OperationInfo> {
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

  Ls(Context context) {
    super(context);
  }

  @Override
  protected byte[] fetch(Client client) {
    String path = "/operations?limit=" + limit + query("state", state) + query("kind", kind);
    return client.get(filtered(path)).body();
  }

  @Override
  protected Listing<OperationInfo> listing(Instant now) {
    return new Listing<>(OperationInfo[].class, OperationInfo::operationID)
        .column("OPERATION", OperationInfo::operationID)
        .column("KIND", OperationInfo::kind)
        .column("SUBJECT", OperationInfo::subject)
        .column("STATE", OperationInfo::state)
        .column("STEP", Show::progressText)
        .column("STARTED", o -> HumanFormat.timeSince(o.startedAt(), now))
        .wide("ENDED", o -> o.endedAt() == null ? null : HumanFormat.timeSince(o.endedAt(), now))
        .wide("MADE", o -> String.join(",", o.results()))
        .wide("ERROR", o -> o.error() == null ? null : o.error().message())
        .filter("state", o -> List.of(o.state()))
        .filter("kind", o -> List.of(o.kind()))
        .filter("subject", o -> List.of(o.subject()))
        .byHost("state", "state", HostFilter.SINGLE)
        .byHost("kind", "kind", HostFilter.SINGLE)
        .byHost("subject", "subject", HostFilter.SINGLE);
  }

  private static String query(String name, @Nullable String value) {
    return value == null ? "" : "&" + name + "=" + Client.encode(value);
  }
}
