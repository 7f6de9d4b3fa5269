// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.life;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.HumanFormat;
import java.time.Instant;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that sets when a sandbox ends. */
@Command(
    name = "timeout",
    description = {
      "Sets when a sandbox ends, counted from now, and prints it. It may be sooner than before.",
      "A paused sandbox has no end; the time counts from when it is resumed."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet sandbox timeout ID 2h", "  ramet sandbox timeout ID never"})
public final class Timeout extends ApiCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox, by id or name.")
  private String id = "";

  @Parameters(
      index = "1",
      paramLabel = "TIME",
      description = "How long it still lives: 300 (seconds), 90s, 15m, 2h or never.")
  @RequestField("timeout")
  private String time = "";

  Timeout(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    String path = "/sandboxes/" + Client.encode(id);
    client.post(path + "/timeout", Map.of("timeout", Options.seconds("TIME", time)));
    ClientResponse answer = client.get(path);
    if (json()) {
      context().json(answer.body());
    } else {
      context().out().println(end(answer.parse(SandboxInfo.class)));
    }
    return 0;
  }

  private String end(SandboxInfo sandbox) {
    if (sandbox.state().equals("paused")) {
      return "paused; the time counts from when it is resumed: " + time;
    }
    String end = sandbox.endAt();
    return end == null
        ? "never"
        : HumanFormat.time(end) + " (" + HumanFormat.timeUntil(end, Instant.now()) + ")";
  }
}
