// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.api.StorageUsage;
import dev.ramet.cli.ApiCommand;
import dev.ramet.cli.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.http.Streams;
import dev.ramet.cli.term.Human;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/** Tells what disks and memory images take. */
@Command(
    name = "usage",
    description = {
      "Tells what each disk and memory image of a running host takes: for itself, which is what",
      "deleting it frees, and in all, with what it shares with others."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet storage usage",
      "  ramet storage usage --json | jq -s 'map(.node | select(.)) | sort_by(-.exclusiveBytes)'",
      "",
      "With --json one object a line, as they are found: nodes, then the sums of each root."
    })
final class Usage extends ApiCommand {
  Usage(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    if (json()) {
      Streams.lines(
          client,
          "/storage/usage",
          line -> {
            context().json(line.getBytes(StandardCharsets.UTF_8));
            Streams.check(
                Json.read(line.getBytes(StandardCharsets.UTF_8), StorageUsage.class).error());
          });
      return 0;
    }
    List<StorageUsage.Root> roots = new ArrayList<>();
    print(context().paint().bold(row("IMAGE", "EXCLUSIVE", "REFERENCED", "SIZE", "OF")));
    Streams.lines(
        client,
        "/storage/usage",
        line -> {
          StorageUsage one = Json.read(line.getBytes(StandardCharsets.UTF_8), StorageUsage.class);
          Streams.check(one.error());
          StorageUsage.Node node = one.node();
          if (node != null) {
            String name = node.ownerName();
            print(
                row(
                    node.id(),
                    Human.size(node.exclusiveBytes()),
                    Human.size(node.referencedBytes()),
                    Human.size(node.sizeBytes()),
                    name == null ? "-" : name));
          }
          if (one.root() != null) {
            roots.add(one.root());
          }
        });
    for (StorageUsage.Root root : roots) {
      print("");
      print(
          String.format(
              Locale.ROOT,
              "%s (%s): %d images, %s not shared; %s of %s used",
              root.path(),
              root.backend(),
              root.nodes(),
              Human.size(root.exclusiveBytes()),
              Human.size(root.usedBytes()),
              Human.size(root.totalBytes())));
    }
    return 0;
  }

  private void print(String line) {
    context().out().println(line);
  }

  /** Wide enough for the names that Ramet gives: rows are printed as they come. */
  private static String row(
      String id, String exclusive, String referenced, String size, String owner) {
    return String.format(
        Locale.ROOT, "%-32s  %10s  %10s  %10s  %s", id, exclusive, referenced, size, owner);
  }
}
