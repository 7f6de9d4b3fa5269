// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.operation;

import dev.ramet.api.operation.OperationInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.http.Streams;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that follows one operation to its end. */
@Command(
    name = "watch",
    description = {
      "Follows an operation to its end and prints a line for each change.",
      "The status is that of the operation: 0 if it succeeded."
    },
    exitCodeList = {
      "0:The operation succeeded.",
      "130:The operation was cancelled, or Ctrl-C ended this command."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet operation watch OPERATION",
      "  ramet operation watch OPERATION --json | jq -r .state"
    })
final class Watch extends ApiCommand {
  private static final String DATA = "data:";

  @Parameters(paramLabel = "OPERATION", description = "Id of the operation.")
  private String id = "";

  private @Nullable OperationInfo last;
  private String shown = "";

  Watch(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Streams.events(client, "/operations/" + Client.encode(id) + "/events", this::line);
    OperationInfo end = last;
    if (end == null || end.endedAt() == null) {
      throw new RametException(
          ErrorCode.UNAVAILABLE, "the host stopped responding before the operation ended");
    }
    Streams.check(end.error());
    return 0;
  }

  private void line(String line) {
    if (!line.startsWith(DATA)) {
      return;
    }
    String json = line.substring(DATA.length()).strip();
    OperationInfo now = Json.read(json.getBytes(StandardCharsets.UTF_8), OperationInfo.class);
    last = now;
    if (json()) {
      context().out().println(json);
      return;
    }
    String doing = Show.progressText(now);
    String text = now.state() + (doing.isEmpty() ? "" : ": " + doing);
    if (!text.equals(shown)) {
      shown = text;
      context().out().println(text);
    }
  }
}
