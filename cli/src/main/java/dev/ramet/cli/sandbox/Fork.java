// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.ApiError;
import dev.ramet.api.CloneRequestBody;
import dev.ramet.api.ErrorCode;
import dev.ramet.api.ForkEntry;
import dev.ramet.api.RametException;
import dev.ramet.cli.ApiCommand;
import dev.ramet.cli.Context;
import dev.ramet.cli.Errors;
import dev.ramet.cli.Options;
import dev.ramet.cli.http.Answer;
import dev.ramet.cli.http.Client;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Forks a sandbox. */
@Command(
    name = "fork",
    description = {
      "Like clone, but each child succeeds or fails by itself.",
      "Prints the ids of those that started; the status is that of the first that did not."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet sandbox fork ID -n 3 --timeout 60"})
final class Fork extends ApiCommand {
  @Parameters(paramLabel = "ID", description = "The sandbox to fork.")
  private String id = "";

  @Option(
      names = {"-n", "--count"},
      paramLabel = "N",
      defaultValue = "1",
      description = "How many, 1 to 100 (default: ${DEFAULT-VALUE}).")
  private int count = 1;

  @Option(
      names = {"-c", "--concurrency"},
      paramLabel = "N",
      description = "How many start at the same time.")
  private @Nullable Integer concurrency;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "When each is killed by itself: 300 (seconds), 15m, 2h or never (default: 15).")
  private @Nullable String timeout;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "The only memory mode for the capture they start from and for captures of them; else"
              + " what holds for ID.")
  private @Nullable String mode;

  Fork(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    CloneRequestBody request =
        new CloneRequestBody(count, concurrency, Options.timeout(timeout), mode);
    Answer answer =
        context()
            .during(
                "Forking " + id + ", " + count + " times",
                () -> client.post("/sandboxes/" + Client.encode(id) + "/fork", request));
    if (json()) {
      context().json(answer.body());
    }
    int status = 0;
    for (ForkEntry entry : answer.as(ForkEntry[].class)) {
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
    return new RametException(code, error.message(), error.remedy(), null);
  }
}
