// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.cli.ApiCommand;
import dev.ramet.cli.Context;
import dev.ramet.cli.Each;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Pauses sandboxes. */
@Command(
    name = "pause",
    description = "Stops sandboxes: they use neither memory nor CPU until they are resumed.",
    footerHeading = "%nExamples:%n",
    footer = "  ramet sandbox pause ID")
final class Pause extends ApiCommand {
  @Parameters(paramLabel = "ID", arity = "1..*", description = "The sandboxes.")
  private List<String> ids = new ArrayList<>();

  @Option(
      names = "--disk-only",
      description = "Keep the disk and not the memory: it boots when it is resumed.")
  private boolean diskOnly;

  Pause(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Map<String, Object> body = Map.of("memory", !diskOnly);
    return Each.of(
        context(),
        ids,
        !json(),
        id -> client.post("/sandboxes/" + Client.encode(id) + "/pause", body));
  }
}
