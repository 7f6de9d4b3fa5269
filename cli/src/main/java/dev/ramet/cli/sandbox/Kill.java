// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Confirmation;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ForEachId;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.Filter;
import dev.ramet.cli.output.Listing;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that ends sandboxes. */
@Command(
    name = "kill",
    aliases = {"rm", "delete"},
    description = {
      "Kills sandboxes and deletes their disks. Their snapshots stay.",
      "More than one: it asks on a terminal, and needs --yes elsewhere.",
      "Filters: state, template, name, label."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox kill ID",
      "  ramet sandbox kill --filter label=owner=ci",
      "  ramet sandbox kill --all --yes"
    })
final class Kill extends ApiCommand {
  @Parameters(paramLabel = "ID", arity = "0..*", description = "The sandboxes.")
  private List<String> ids = new ArrayList<>();

  @Option(names = "--all", description = "Kill every sandbox of the host.")
  private boolean all;

  @Option(
      names = "--filter",
      paramLabel = "KEY=VALUE",
      description = "Kill what matches, as in ramet sandbox ls. May be repeated.")
  private List<String> filters = new ArrayList<>();

  @Mixin private final Confirmation confirmation = new Confirmation();

  Kill(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    boolean chosen = all || !filters.isEmpty();
    if (chosen == !ids.isEmpty() || (all && !filters.isEmpty())) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          chosen ? "more than one of ID, --all and --filter" : "ID is missing",
          "give the ids of sandboxes, or --all, or --filter",
          null);
    }
    List<String> doomed = chosen ? chosen(client) : ids;
    String action = "kill " + doomed.size() + (doomed.size() == 1 ? " sandbox" : " sandboxes");
    if (doomed.isEmpty()) {
      context().err().println("No sandbox matches.");
      return 0;
    }
    boolean allowed =
        chosen
            ? confirmation.allows(context(), action)
            : doomed.size() == 1 || confirmation.allowsOrWarns(context(), action);
    if (!allowed) {
      return Confirmation.DECLINED;
    }
    return ForEachId.apply(
        context(), doomed, !json(), id -> client.delete("/sandboxes/" + Client.encode(id)));
  }

  /** Returns the ids of the matching sandboxes, and shows these to a person who will be asked. */
  private List<String> chosen(Client client) {
    Listing<SandboxInfo> listing = SandboxListing.at(Instant.now());
    Filter<SandboxInfo> filter = Filter.parse(filters, listing);
    String path = filter.on("/v2/sandboxes", Client::encode);
    List<SandboxInfo> found = new ArrayList<>();
    for (SandboxInfo one : Json.read(client.getAllPages(path), listing.type())) {
      if (filter.accepts(one)) {
        found.add(one);
      }
    }
    if (!found.isEmpty() && !confirmation.isGiven()) {
      listing
          .table(context().terminal().onError(), false, found)
          .lines()
          .forEach(context().err()::println);
    }
    return found.stream().map(SandboxInfo::sandboxID).toList();
  }
}
