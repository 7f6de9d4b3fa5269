// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that waits for a snapshot that is still being written. */
@Command(
    name = "wait",
    description = "Waits until a snapshot is written; fails if it could not be written.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  snapshot=$(ramet snapshot create ID --no-wait)",
      "  ramet snapshot wait $snapshot",
      "  ramet snapshot wait $snapshot --timeout 30"
    })
final class Wait extends ApiCommand {
  /** Shorter than the time after which the client gives up a silent host. */
  private static final int LONGEST_SECONDS = 600;

  @Parameters(paramLabel = "SNAPSHOT", description = "Id, NAME, or NAME:TAG of the snapshot.")
  private String id = "";

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "Longest time to wait: 30 (seconds), 10m, up to 1h, or never for no limit (default: 10m).")
  @RequestField("timeout")
  private @Nullable String timeout;

  Wait(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Integer seconds = Options.timeout(timeout);
    String path = "/snapshots/" + Client.encode(id) + "?wait=true";
    ClientResponse answer =
        context()
            .during(
                "Waiting for " + id,
                () ->
                    seconds == null
                        ? client.get(path)
                        : seconds == Options.NEVER
                            ? endless(client, path)
                            : client.get(path + "&timeout=" + seconds));
    SnapshotInfo snapshot = answer.parse(SnapshotInfo.class);
    if (json()) {
      context().json(answer.body());
    }
    if (!snapshot.status().equals("READY")) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "snapshot " + id + " is " + snapshot.status() + ": " + snapshot.statusDetail());
    }
    return 0;
  }

  /** Asks again as often as the host's longest wait ends. */
  private static ClientResponse endless(Client client, String path) {
    while (true) {
      try {
        return client.get(path + "&timeout=" + LONGEST_SECONDS);
      } catch (RametException e) {
        if (e.code() != ErrorCode.DEADLINE_EXCEEDED) {
          throw e;
        }
      }
    }
  }
}
