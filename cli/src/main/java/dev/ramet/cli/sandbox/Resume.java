// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
      paramLabel = "TIME",
      description =
          "When it ends: 300 (seconds), 15m, 2h or never; by default, after the time it was last"
              + " given. It replaces never. One that runs already is only extended.")
  @RequestField("timeout")
  private @Nullable String timeout;

  Resume(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    // Older versions took -1 for never.
    Integer seconds = "-1".equals(timeout) ? Integer.valueOf(-1) : Options.timeout(timeout);
    Map<String, Object> body =
        seconds == null ? Map.of() : Map.of("timeout", seconds, "replaceNever", true);
    return ForEachId.apply(
        context(),
        ids,
        !json(),
        id -> client.post("/sandboxes/" + Client.encode(id) + "/connect", body));
  }
}
