// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.operation.ApiError;
import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.api.sandbox.ForkEntry;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Errors;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that forks a sandbox. */
@Command(
    name = "fork",
    description = {
      "Starts copies of a sandbox; those that fail leave the others alone.",
      "It differs from clone, which starts all or none, and from snapshot fork, which starts from a"
          + " stored state. Prints the ids of those that started; the status is that of the first"
          + " failure."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet sandbox fork ID -n 3 --timeout 60"})
final class Fork extends ApiCommand {
  @Parameters(paramLabel = "ID", description = "The sandbox to fork.")
  private String id = "";

  @Mixin private final CloneOptions options = new CloneOptions();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "When each is killed automatically: 300 (seconds), 15m, 2h or never (default: 15).")
  @RequestField("timeout")
  private @Nullable String timeout;

  Fork(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    CloneRequestBody request = options.request(timeout);
    ClientResponse answer =
        context()
            .during(
                "Forking " + id + ", " + options.count() + " times",
                () -> client.post("/sandboxes/" + Client.encode(id) + "/fork", request));
    if (json()) {
      context().json(answer.body());
    }
    int status = 0;
    for (ForkEntry entry : answer.parse(ForkEntry[].class)) {
      if (entry.error() != null) {
        int failed = json() ? exception(entry.error()).code().exitStatus() : print(entry.error());
        status = status == 0 ? failed : status;
      } else if (entry.sandbox() != null && !json()) {
        context().out().println(entry.sandbox().sandboxID());
      }
    }
    return status;
  }

  private int print(ApiError error) {
    return Errors.print(context(), exception(error));
  }

  private static RametException exception(ApiError error) {
    ErrorCode code = ErrorCode.INTERNAL;
    for (ErrorCode known : ErrorCode.values()) {
      code = known.name().equals(error.error()) ? known : code;
    }
    return new RametException(code, error.message(), error.remedy(), null).about(error.field());
  }
}
