// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.api.storage.StorageUsage;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.http.Streams;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import picocli.CommandLine.Command;

/** The command that shows the space used by disks and memory images. */
@Command(
    name = "usage",
    description = {
      "Shows the space that each disk and memory image of a host takes.",
      "EXCLUSIVE is the space that deleting an image frees; REFERENCED includes the space"
          + " that it shares with others."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet storage usage",
      "  ramet storage usage --json | jq -s 'map(.node | select(.)) | sort_by(-.exclusiveBytes)'",
      "",
      "With --json, one object per line as they are found: nodes, then the totals of each"
          + " root.",
      RootCommand.FOOTER
    })
final class Usage extends RootCommand {
  Usage(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    UsageRows rows = new UsageRows(context());
    Streams.lines(
        client,
        "/storage/usage",
        line -> {
          byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
          StorageUsage one = Json.read(bytes, StorageUsage.class);
          if (json()) {
            context().json(bytes);
          }
          Streams.check(one.error());
          if (!json()) {
            rows.accept(one);
          }
        });
    rows.printSums();
    return 0;
  }

  @Override
  int runOffline(Path dataRoot) {
    UsageRows rows = new UsageRows(context());
    try (OfflineDataRoots roots = OfflineDataRoots.open(context(), dataRoot)) {
      roots.usage(
          one -> {
            if (json()) {
              context().json(Json.bytes(one));
            } else {
              rows.accept(one);
            }
          });
    }
    rows.printSums();
    return 0;
  }

  @Override
  String action() {
    return "looking at";
  }
}
