// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.context;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.OutputOptions;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.output.OutputFormat;
import dev.ramet.cli.target.ContextFile;
import dev.ramet.cli.target.SavedContext;
import dev.ramet.cli.target.Target;
import dev.ramet.errors.RametException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that lists contexts. */
@Command(
    name = "ls",
    aliases = "list",
    description = "Lists the contexts; * marks the one that commands ask now.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet context ls",
      "  ramet context ls --json | jq -r '.[] | select(.current).name'"
    })
final class Ls implements Callable<Integer> {
  private final Context context;

  @Mixin private OutputOptions output = new OutputOptions();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  Ls(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    OutputFormat format = output.format(json);
    Map<String, SavedContext> all = new TreeMap<>(ContextFile.of(context.environment()).all());
    all.put(Target.LOCAL, new SavedContext(Target.LOCAL, localAddress(), null, null, null));
    String current = current();
    ArrayNode array = Json.mapper().createArrayNode();
    all.values().forEach(one -> write(array.addObject(), one, one.name().equals(current)));
    Listing<JsonNode> listing =
        new Listing<>(JsonNode[].class, one -> one.path("name").asText())
            .column("", one -> one.path("current").asBoolean() ? "*" : "")
            .column("NAME", one -> one.path("name").asText())
            .column("ADDRESS", one -> one.path("server").asText())
            .column("KEY", Ls::key)
            .column("AUTHORITY", one -> one.path("ca").asText(""));
    output.list(context, format, Json.bytes(array), listing);
    return 0;
  }

  /** Returns the name of the context that a command would ask now, or null for another host. */
  private @Nullable String current() {
    Target target;
    try {
      target = context.target();
    } catch (RametException e) {
      return null; // the list helps to find out why
    }
    SavedContext saved = target.context();
    return saved != null ? saved.name() : target.named() ? null : Target.LOCAL;
  }

  private String localAddress() {
    try {
      return Target.local(context.environment()).address();
    } catch (RametException e) {
      return "unknown: the host's settings are invalid";
    }
  }

  private static String key(JsonNode one) {
    if (one.path("keyFile").isTextual()) {
      return "file " + one.path("keyFile").textValue();
    }
    return one.path("keyCommand").isTextual()
        ? "command " + one.path("keyCommand").textValue()
        : "";
  }

  private static void write(ObjectNode node, SavedContext one, boolean current) {
    node.put("name", one.name()).put("current", current).put("server", one.server());
    put(node, "ca", one.authority());
    put(node, "keyFile", one.keyFile());
    put(node, "keyCommand", one.keyCommand());
  }

  private static void put(ObjectNode node, String field, @Nullable String value) {
    if (value != null) {
      node.put(field, value);
    }
  }
}
