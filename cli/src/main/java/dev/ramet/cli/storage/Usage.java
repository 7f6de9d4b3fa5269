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
      "With --json or -o json, one object per line as they are found: nodes, then the totals of"
          + " each root.",
      RootCommand.FOOTER
    })
final class Usage extends RootCommand {
  Usage(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    UsageOutput out = new UsageOutput(context(), output(), format());
    Streams.lines(
        client,
        "/storage/usage",
        line -> {
          byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
          StorageUsage one = Json.read(bytes, StorageUsage.class);
          out.accept(one, bytes);
          Streams.check(one.error());
        });
    out.end();
    return 0;
  }

  @Override
  int runOffline(Path dataRoot) {
    UsageOutput out = new UsageOutput(context(), output(), format());
    try (OfflineDataRoots roots = OfflineDataRoots.open(context(), dataRoot)) {
      roots.usage(one -> out.accept(one, Json.bytes(one)));
    }
    out.end();
    return 0;
  }

  @Override
  String action() {
    return "looking at";
  }
}
