// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.config;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.Table;
import dev.ramet.config.Configuration;
import dev.ramet.config.Value;
import dev.ramet.config.ValueSource;
import java.nio.file.Path;
import java.util.List;

/**
 * Prints settings as a table or as JSON. A separate class, because picocli inspects the methods of
 * commands even where the host's classes are absent.
 */
final class ConfigurationView {
  private ConfigurationView() {}

  static void addTo(Table table, Configuration configuration) {
    for (Value value : configuration.values()) {
      String unset = value.unset() == null ? "" : "(" + value.unset() + ")";
      table.row(
          value.key(),
          value.text() == null ? unset : value.text(),
          value.text() == null ? "" : value.origin().toString());
    }
  }

  static List<String> keys(Configuration configuration) {
    return configuration.values().stream().map(Value::key).toList();
  }

  static ObjectNode tree(Configuration configuration) {
    ObjectNode tree = Json.mapper().createObjectNode();
    Path file = configuration.file();
    tree.put("file", file == null ? null : file.toString());
    ArrayNode settings = tree.putArray("settings");
    for (Value value : configuration.values()) {
      ValueSource origin = value.origin();
      ObjectNode one = settings.addObject();
      one.put("key", value.key());
      if (value.text() != null && !value.secret()) {
        one.put("value", value.text());
      }
      one.put("set", value.text() != null);
      one.put("secret", value.secret());
      ObjectNode source = one.putObject("source");
      source.put("kind", origin.kind().label());
      if (origin.name() != null) {
        source.put("name", origin.name());
      }
      if (origin.file() != null) {
        source.put("file", origin.file().toString());
        source.put("line", origin.line());
      }
    }
    ArrayNode problems = tree.putArray("problems");
    configuration.problems().forEach(problem -> problems.add(problem.toString()));
    ArrayNode warnings = tree.putArray("warnings");
    configuration.warnings().forEach(warning -> warnings.add(warning.toString()));
    return tree;
  }
}
