// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.CreateSnapshot;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.HumanFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that takes a snapshot. */
@Command(
    name = "create",
    description = "Takes a snapshot of a running or paused sandbox and prints the snapshot's id.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet snapshot create ID",
      "  ramet snapshot create ID --name before-upgrade --description 'all tests pass'",
      "  ramet snapshot create ID --mode incremental",
      "  ramet snapshot wait $(ramet snapshot create ID --no-wait)",
      "  ramet snapshot create ID --verify",
      "  ramet snapshot create ID --disk-only",
      "  ramet snapshot create ID --if-changed"
    })
final class Create extends ApiCommand {
  /** The status, instead of 201 or 202, of a response with an existing snapshot. */
  private static final int UNCHANGED = 200;

  @Parameters(paramLabel = "SANDBOX", description = "The sandbox.")
  private String sandbox = "";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "NAME or NAME:TAG of the snapshot. An older snapshot with the same name and tag loses the"
              + " tag and can then be reached by its id only.")
  @RequestField("name")
  private @Nullable String name;

  @Option(names = "--description", paramLabel = "TEXT", description = "A description for people.")
  @RequestField("description")
  private @Nullable String description;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "The only memory mode to use, for example incremental; by default, the best one.")
  @RequestField("memoryMode")
  private @Nullable String mode;

  @Option(
      names = "--no-wait",
      description =
          "Return as soon as the sandbox runs again, while the snapshot is still being written.")
  private boolean noWait;

  @Option(
      names = "--verify",
      description =
          "Compare the capture with all memory of the paused machine, and fail if they differ.")
  @RequestField("verify")
  private boolean verify;

  @Option(
      names = "--disk-only",
      description =
          "Capture only the disk, not the memory: sandboxes started from it boot. The guest's"
              + " file systems are frozen during the capture.")
  @RequestField("memory")
  private boolean diskOnly;

  @Option(
      names = "--if-changed",
      description = {
        "If memory and disk are unchanged since the last snapshot, print that one instead. A"
            + " guest that keeps time rarely stays unchanged for long. Not with --name or"
            + " --description."
      })
  @RequestField("ifChanged")
  private boolean ifChanged;

  @Option(
      names = "--replaces",
      paramLabel = "SNAPSHOT",
      description = "An older snapshot of the sandbox to delete once this one is complete.")
  @RequestField("replaces")
  private @Nullable String replaces;

  Create(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    ClientResponse answer =
        context()
            .during(
                "Taking a snapshot of " + sandbox,
                () ->
                    client.post(
                        "/sandboxes/"
                            + Client.encode(sandbox)
                            + "/snapshots"
                            + (noWait ? "?wait=false" : ""),
                        new CreateSnapshot(
                            name,
                            description,
                            mode,
                            verify ? true : null,
                            diskOnly ? false : null,
                            ifChanged ? true : null,
                            replaces)));
    if (json()) {
      context().json(answer.body());
      return 0;
    }
    SnapshotInfo made = answer.parse(SnapshotInfo.class);
    context().out().println(made.snapshotID());
    if (answer.status() == UNCHANGED && context().terminal().error()) {
      context().err().println("nothing changed since " + made.createdAt());
      return 0;
    }
    CaptureInfo capture = made.capture();
    if (capture != null && context().terminal().error()) {
      context()
          .err()
          .println(
              "%s, paused for %s, wrote %s of %s of memory (%s: %s)"
                  .formatted(
                      HumanFormat.millis(capture.totalMs()),
                      HumanFormat.millis(capture.pauseMs()),
                      HumanFormat.size(capture.memoryBytesWritten()),
                      HumanFormat.size(capture.memoryBytesTotal()),
                      capture.mode(),
                      capture.modeReason()));
    }
    return 0;
  }
}
