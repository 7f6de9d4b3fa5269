// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that shows one sandbox. */
@Command(
    name = "show",
    aliases = "info",
    description = "Shows one sandbox.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet sandbox show ID", "  ramet sandbox show ID --json | jq .hypervisorPid"})
final class Show extends ViewCommand {
  @Parameters(paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  Show(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return show(
        client.get("/sandboxes/" + Client.encode(id)),
        SandboxInfo.class,
        SandboxInfo::sandboxID,
        Show::rows);
  }

  private static void rows(Table table, SandboxInfo s) {
    Instant now = Instant.now();
    table.row("Sandbox", s.sandboxID());
    if (s.name() != null) {
      table.row("Name", s.name());
    }
    String state = HumanFormat.state(s.state(), s.standstill());
    table.row("State", s.stateDetail() == null ? state : state + ": " + s.stateDetail());
    table.row(
        "Template", s.alias() == null ? s.templateID() : s.alias() + " (" + s.templateID() + ")");
    if (s.parentID() != null) {
      table.row("Cloned from", s.parentID());
    }
    table.row("CPUs", "" + s.cpuCount());
    table.row("Memory", HumanFormat.mebibytes(s.memoryMB()));
    table.row("Disk", HumanFormat.mebibytes(s.diskSizeMB()));
    table.row("Started", HumanFormat.timeAndAge(s.startedAt(), now));
    if (s.state().equals("paused")) {
      table.row("Paused", HumanFormat.timeAndAge("" + s.endAt(), now));
    } else {
      table.row(
          "Ends",
          s.endAt() == null
              ? "never"
              : HumanFormat.time(s.endAt()) + " (" + HumanFormat.timeUntil(s.endAt(), now) + ")");
    }
    if ("unauthenticated".equals(s.agent())) {
      table.row(
          "Agent",
          "unauthenticated: other users of the host's machine can take it over; see ramet doctor");
    }
    if (s.hypervisorPid() != null) {
      table.row("Process", "" + s.hypervisorPid());
    }
    if (s.memoryMode() != null) {
      table.row("Memory mode", s.memoryMode() + ", for every capture");
    }
    inbound(table, s);
    if (s.volumeMounts() != null) {
      s.volumeMounts().forEach(mount -> table.row("Volume", mount.name() + " at " + mount.path()));
    }
    SandboxListing.labels(s).forEach(label -> table.row("Label", label));
  }

  private static void inbound(Table table, SandboxInfo s) {
    if (s.trafficAccessToken() != null) {
      table.row("Ports want", "E2b-Traffic-Access-Token: " + s.trafficAccessToken());
    }
    NetworkSettings rules = s.network();
    if (rules != null && rules.maskRequestHost() != null) {
      table.row("Host they see", rules.maskRequestHost());
    }
    if (rules != null && rules.httpsPorts() != null) {
      table.row(
          "Speak TLS",
          rules.httpsPorts().stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }
  }
}
