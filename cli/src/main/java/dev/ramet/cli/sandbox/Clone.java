// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.api.sandbox.CloneResult;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.HumanFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that clones a sandbox. */
@Command(
    name = "clone",
    description = {
      "Starts copies of a sandbox in its current state: all of them or none.",
      "It prints their ids, and the source keeps running. It differs from sandbox fork, where each"
          + " copy fails alone, and from snapshot fork, which starts from a stored state."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet sandbox clone ID", "  ramet sandbox clone ID -n 10 -c 5 --timeout 15m"})
final class Clone extends ApiCommand {
  @Parameters(paramLabel = "ID", description = "The sandbox to clone.")
  private String id = "";

  @Mixin private final CloneOptions options = new CloneOptions();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "When each is killed automatically: 300 (seconds), 15m, 2h or never.")
  @RequestField("timeout")
  private @Nullable String timeout;

  Clone(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    CloneRequestBody request = options.request(timeout);
    ClientResponse answer =
        context()
            .during(
                "Cloning " + id + ", " + options.count() + " times",
                () -> client.post("/sandboxes/" + Client.encode(id) + "/clone", request));
    if (json()) {
      context().json(answer.body());
      return 0;
    }
    CloneResult result = answer.parse(CloneResult.class);
    result.sandboxes().forEach(s -> context().out().println(s.sandboxID()));
    CaptureInfo capture = result.capture();
    if (context().terminal().error()) {
      String still =
          capture == null
              ? ""
              : "; the source was paused for " + HumanFormat.millis(capture.pauseMs());
      String made = result.sandboxes().size() + " in " + HumanFormat.millis(result.totalMs());
      context().err().println(made + still);
    }
    return 0;
  }
}
