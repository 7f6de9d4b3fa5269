// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.key;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.KeyFile;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that lists keys. */
@Command(
    name = "ls",
    aliases = "list",
    description = "Lists the API keys; the keys themselves are not kept and cannot be shown.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet key ls", "  ramet key ls --json | jq -r '.[].name'"})
final class Ls implements Callable<Integer> {
  private final Context context;
  @Mixin private KeysOption keys = new KeysOption();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  Ls(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    List<ApiKey> all = new KeyFile(keys.keyFile(context)).list();
    if (json) {
      ArrayNode array = Json.mapper().createArrayNode();
      for (ApiKey key : all) {
        array.add(KeyView.toJson(key));
      }
      context.json(Json.bytes(array));
      return 0;
    }
    Instant now = Instant.now();
    Table table = new Table(context.paint(), "KEY", "NAME", "SCOPE", "CREATED");
    for (ApiKey key : all) {
      table.row(
          key.id(),
          key.name(),
          key.scope().label(),
          HumanFormat.timeSince(key.createdAt().toString(), now));
    }
    context.print(table);
    return 0;
  }
}
