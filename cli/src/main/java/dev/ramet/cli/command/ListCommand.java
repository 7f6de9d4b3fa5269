// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.Filter;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.output.OutputFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * Base class of commands that list objects of a host.
 *
 * @param <T> the type of the objects
 */
public abstract class ListCommand<T> extends ViewCommand {
  @Option(
      names = "--filter",
      paramLabel = "KEY=VALUE",
      description = "List only what matches; KEY=A,B matches either value. May be repeated.")
  private List<String> filters = new ArrayList<>();

  @Option(
      names = {"-q", "--quiet"},
      description = "Print only the ids.")
  private boolean quiet;

  @Option(
      names = {"-w", "--watch"},
      description = "Keep listing: redraw a terminal, otherwise print what changes.")
  private boolean watch;

  /** Creates a command. */
  protected ListCommand(Context context) {
    super(context);
  }

  /** Adds the conditions of {@code --filter} that the host can check to the path of its list. */
  protected final String filtered(String path) {
    return Filter.parse(filters, listing(Instant.EPOCH)).on(path, Client::encode);
  }

  /** Asks the host for its list. */
  protected abstract byte[] fetch(Client client);

  /** Returns the columns and filters, for a table of that moment. */
  protected abstract Listing<T> listing(Instant now);

  @Override
  protected final int run(Client client) throws Exception {
    Filter.parse(filters, listing(Instant.EPOCH)); // refused before the host is asked
    OutputFormat asked = quiet && format().isTable() ? OutputFormat.NAME : format();
    if (watch) {
      return new ListWatcher<>(context(), asked, output(), this::listing)
          .follow(() -> matching(fetch(client), Instant.now()));
    }
    Instant now = Instant.now();
    output().list(context(), asked, matching(fetch(client), now), listing(now));
    return 0;
  }

  /** Returns the objects that match; the list unchanged when there is no filter. */
  private byte[] matching(byte[] list, Instant now) {
    Listing<T> listing = listing(now);
    Filter<T> filter = Filter.parse(filters, listing);
    return filter.isEmpty() ? list : matching(list, listing, filter);
  }

  /** Returns the JSON of the objects that match. */
  static <T> byte[] matching(byte[] list, Listing<T> listing, Filter<T> filter) {
    T[] all = Json.read(list, listing.type());
    JsonNode tree = Json.tree(list);
    ArrayNode kept = Json.mapper().createArrayNode();
    for (int i = 0; i < all.length; i++) {
      if (filter.accepts(all[i])) {
        kept.add(tree.get(i));
      }
    }
    return Json.bytes(kept);
  }
}
