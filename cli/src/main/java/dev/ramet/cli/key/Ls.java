// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.key;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.OutputOptions;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.output.OutputFormat;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.KeyFile;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that lists keys. */
@Command(
    name = "ls",
    aliases = "list",
    description = "Lists the API keys; the keys themselves are not kept and cannot be shown.",
    exitCodeList = {"3:The data root does not exist."},
    footerHeading = "%nExamples:%n",
    footer = {"  ramet key ls", "  ramet key ls --json | jq -r '.[].name'"})
final class Ls implements Callable<Integer> {
  private final Context context;
  @Mixin private KeysOption keys = new KeysOption();

  @Mixin private OutputOptions output = new OutputOptions();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  Ls(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    OutputFormat format = output.format(json);
    ArrayNode array = Json.mapper().createArrayNode();
    for (ApiKey key : new KeyFile(keys.keyFile(context)).list()) {
      array.add(KeyView.toJson(key));
    }
    Instant now = Instant.now();
    Listing<JsonNode> listing =
        new Listing<>(JsonNode[].class, key -> key.path("id").asText())
            .column("KEY", key -> key.path("id").asText())
            .column("NAME", key -> key.path("name").asText())
            .column("SCOPE", key -> key.path("scope").asText())
            .column("CREATED", key -> HumanFormat.timeSince(key.path("createdAt").asText(), now));
    output.list(context, format, Json.bytes(array), listing);
    return 0;
  }
}
