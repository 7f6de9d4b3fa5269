// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.output.OutputFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Shows a list again and again. A terminal is redrawn; into a pipe goes the list once, then each
 * object that is new or changed, and a line on standard error for each that went. Used by one
 * thread.
 */
final class ListWatcher<T> {
  private static final int INTERRUPTED = 130;
  private static final long INTERVAL_MILLIS = 1000;
  private static final String HOME = "\u001b[H";
  private static final String CLEAR = "\u001b[2J";
  private static final String CLEAR_LINE = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";

  private final Context context;
  private final OutputFormat format;
  private final OutputOptions output;
  private final Function<Instant, Listing<T>> listings;
  private final Map<String, JsonNode> known = new LinkedHashMap<>();
  private boolean begun;

  ListWatcher(
      Context context,
      OutputFormat format,
      OutputOptions output,
      Function<Instant, Listing<T>> listings) {
    this.context = context;
    this.format = format;
    this.output = output;
    this.listings = listings;
  }

  /**
   * Shows the list until the thread is interrupted or standard output is gone. An error of the host
   * ends it too.
   *
   * @return the exit status
   */
  int follow(Supplier<byte[]> lists) {
    boolean redraw = context.terminal().output() && format.isTable();
    while (true) {
      byte[] list = lists.get();
      if (redraw) {
        redraw(list);
      } else {
        printChanges(list);
      }
      begun = true;
      if (context.out().checkError()) {
        return 0; // nobody reads it any more
      }
      try {
        Thread.sleep(INTERVAL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return INTERRUPTED;
      }
    }
  }

  private void redraw(byte[] list) {
    Listing<T> listing = listings.apply(Instant.now());
    Table table =
        listing.table(
            context.paint(),
            format.kind() == OutputFormat.Kind.WIDE,
            List.of(Json.read(list, listing.type())));
    StringBuilder screen = new StringBuilder(begun ? HOME : CLEAR + HOME);
    output.lines(table).forEach(line -> screen.append(line).append(CLEAR_LINE).append('\n'));
    context.out().print(screen.append(CLEAR_BELOW));
    context.out().flush();
  }

  private void printChanges(byte[] list) {
    Listing<T> listing = listings.apply(Instant.now());
    T[] all = Json.read(list, listing.type());
    JsonNode tree = Json.tree(list);
    ArrayNode changed = Json.mapper().createArrayNode();
    Map<String, JsonNode> now = new LinkedHashMap<>();
    for (int i = 0; i < all.length; i++) {
      JsonNode node = tree.get(i);
      now.put(listing.id(all[i]), node);
      if (!node.equals(known.get(listing.id(all[i])))) {
        changed.add(node);
      }
    }
    known.keySet().stream()
        .filter(id -> !now.containsKey(id))
        .forEach(id -> context.err().println("gone: " + id));
    known.clear();
    known.putAll(now);
    if (!format.isTable() && format.kind() != OutputFormat.Kind.NAME) {
      changed.forEach(node -> OutputOptions.data(context, format, Json.bytes(node)));
    } else if (!begun || !changed.isEmpty()) {
      output.list(context, format, Json.bytes(changed), listing, !begun);
    }
  }
}
