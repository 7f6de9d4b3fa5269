// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that pauses sandboxes. */
@Command(
    name = "pause",
    description = "Pauses sandboxes: they use neither memory nor CPU until they are resumed.",
    footerHeading = "%nExamples:%n",
    footer = "  ramet sandbox pause ID")
final class Pause extends ApiCommand {
  @Parameters(paramLabel = "ID", arity = "1..*", description = "The sandboxes.")
  private List<String> ids = new ArrayList<>();

  @Option(
      names = "--disk-only",
      description = "Keep only the disk, not the memory: the sandbox boots when it is resumed.")
  @RequestField("memory")
  private boolean diskOnly;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "The only memory mode to save the memory with; by default, the mode set for ID.")
  @RequestField("memoryMode")
  private @Nullable String mode;

  Pause(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("memory", !diskOnly);
    if (mode != null) {
      body.put("memoryMode", mode);
    }
    return ForEachId.apply(
        context(),
        ids,
        !json(),
        id -> client.post("/sandboxes/" + Client.encode(id) + "/pause", body));
  }
}
