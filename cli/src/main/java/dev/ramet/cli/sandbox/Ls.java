// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lists sandboxes. */
@Command(
    name = "ls",
    aliases = "list",
    description = "Lists sandboxes, newest first.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox ls",
      "  ramet sandbox ls --state running",
      "  ramet sandbox kill $(ramet sandbox ls -q)"
    })
final class Ls extends ApiCommand {
  @Option(
      names = "--state",
      paramLabel = "STATES",
      description = "Only those in these states, separated by commas: running,paused.")
  private @Nullable String state;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print only the ids.")
  private boolean quiet;

  Ls(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    byte[] list =
        client.getAllPages(
            "/v2/sandboxes" + (state == null ? "" : "?state=" + Client.encode(state)));
    if (quiet) {
      return ids(list, SandboxInfo[].class, SandboxInfo::sandboxID);
    }
    Instant now = Instant.now();
    Table table =
        new Table(
            context().paint(), "SANDBOX", "TEMPLATE", "STATE", "CPU", "MEMORY", "STARTED", "ENDS");
    return list(
        list,
        SandboxInfo[].class,
        table,
        s ->
            table.row(
                s.sandboxID(),
                s.alias() == null ? s.templateID() : s.alias(),
                s.state(),
                "" + s.cpuCount(),
                HumanFormat.mebibytes(s.memoryMB()),
                HumanFormat.timeSince(s.startedAt(), now),
                HumanFormat.timeUntilEnd(s.state(), s.endAt(), now)));
  }
}
