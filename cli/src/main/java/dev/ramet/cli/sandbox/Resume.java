// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that resumes sandboxes. */
@Command(
    name = "resume",
    description = "Resumes paused sandboxes where they stopped; running ones are left unchanged.",
    footerHeading = "%nExamples:%n",
    footer = "  ramet sandbox resume ID")
final class Resume extends ApiCommand {
  @Parameters(paramLabel = "ID", arity = "1..*", description = "The sandboxes.")
  private List<String> ids = new ArrayList<>();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "Time until it is killed automatically; -1 for never (default: ${DEFAULT-VALUE}).")
  private int timeout;

  Resume(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Map<String, Object> body = Map.of("timeout", timeout);
    return ForEachId.apply(
        context(),
        ids,
        !json(),
        id -> client.post("/sandboxes/" + Client.encode(id) + "/connect", body));
  }
}
