// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ramet.api.storage.StorageUsage;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.OutputOptions;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.OutputFormat;
import dev.ramet.cli.output.OutputFormat.Kind;

/**
 * Prints the used space in the requested format: tables, JSON and ids as the parts arrive, other
 * formats at the end, as one list. Used by one thread.
 */
final class UsageOutput {
  private final Context context;
  private final OutputFormat format;
  private final UsageRows rows;
  private final ArrayNode all = Json.mapper().createArrayNode();

  UsageOutput(Context context, OutputOptions options, OutputFormat format) {
    this.context = context;
    this.format = format;
    this.rows = new UsageRows(context, options.headings());
  }

  /** Prints one part, or keeps it for the end. */
  void accept(StorageUsage one, byte[] json) {
    if (format.kind() == Kind.JSON) {
      context.json(json);
    } else if (one.error() != null) {
      return; // the caller reports it
    } else if (format.isTable()) {
      rows.accept(one);
    } else if (format.kind() == Kind.NAME) {
      if (one.node() != null) {
        context.out().println(one.node().id());
      }
    } else {
      all.add(Json.tree(json));
    }
  }

  /** Prints the sums or the list. */
  void end() {
    if (format.isTable()) {
      rows.printSums();
    } else if (format.kind() == Kind.YAML || format.kind() == Kind.JSONPATH) {
      OutputOptions.data(context, format, Json.bytes(all));
    }
  }
}
