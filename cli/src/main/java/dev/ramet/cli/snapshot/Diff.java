// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.api.snapshot.SnapshotDiff;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that compares two snapshots. */
@Command(
    name = "diff",
    description = "Shows how much of memory and disk differs between two snapshots or templates.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet snapshot diff BEFORE AFTER",
      "  ramet snapshot diff BEFORE AFTER --ranges 20",
      "  ramet snapshot diff BEFORE AFTER --json | jq .memory.differingPages"
    })
final class Diff extends ViewCommand {
  @Parameters(index = "0", paramLabel = "A", description = "Id or name of the first.")
  private String a = "";

  @Parameters(index = "1", paramLabel = "B", description = "Id or name of the second.")
  private String b = "";

  @Option(
      names = "--ranges",
      paramLabel = "N",
      description = "Print the first N ranges that differ, up to 100000.")
  private @Nullable Integer ranges;

  Diff(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    String limit = ranges != null ? "?limit=" + ranges : format().isTable() ? "?limit=0" : "";
    String path = "/snapshots/" + Client.encode(a) + "/diff/" + Client.encode(b) + limit;
    ClientResponse answer =
        context().during("Comparing " + a + " with " + b, () -> client.get(path));
    if (printed(answer.body(), a)) {
      return 0;
    }
    SnapshotDiff diff = answer.parse(SnapshotDiff.class);
    Table table =
        new Table(context().paint(), "", "DIFFERS", "PAGES", "RANGES", "OF", "SHARED", "READ");
    SnapshotDiff.Image memory = diff.memory();
    if (memory != null) {
      row(table, "memory", memory);
    }
    row(table, "disk", diff.disk());
    output().print(context(), table);
    if (memory != null) {
      printRanges("memory", memory);
    }
    printRanges("disk", diff.disk());
    return 0;
  }

  private static void row(Table table, String what, SnapshotDiff.Image image) {
    table.row(
        what,
        HumanFormat.size(image.differingBytes()),
        "" + image.differingPages(),
        "" + image.rangeCount(),
        HumanFormat.size(image.sizeBytes()),
        HumanFormat.size(image.sharedBytes()),
        HumanFormat.size(image.comparedBytes()));
  }

  private void printRanges(String what, SnapshotDiff.Image image) {
    for (SnapshotDiff.Range range : image.ranges()) {
      context().out().println("%s %#x+%#x".formatted(what, range.offset(), range.length()));
    }
  }
}
