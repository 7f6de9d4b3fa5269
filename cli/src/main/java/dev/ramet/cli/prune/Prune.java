// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.prune;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.cli.command.Confirmation;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Errors;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that removes what nobody needs any more. */
@Command(
    name = "prune",
    description = {
      "Removes failed sandboxes, unnamed snapshots that nothing uses, and template versions"
          + " without a tag.",
      "It first shows them, and asks on a terminal; elsewhere it needs --yes. Snapshots of"
          + " sandboxes that exist stay, because these can be rolled back to them, unless --all."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet prune --dry-run    only show them",
      "  ramet prune",
      "  ramet prune --all --yes",
      "",
      "Names and tags keep what you need: ramet snapshot create ID --name NAME."
    })
public final class Prune extends ViewCommand {
  @Option(
      names = {"-a", "--all"},
      description = "Also remove unnamed snapshots of sandboxes that still exist.")
  private boolean all;

  @Option(names = "--dry-run", description = "Only show what would be removed.")
  private boolean dryRun;

  @Mixin private final Confirmation confirmation = new Confirmation();

  /** Creates the command. */
  public Prune(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    List<Candidate> found =
        context().during("Looking for what nobody needs", () -> Unneeded.on(client, all));
    if (dryRun || found.isEmpty()) {
      print(found);
      return 0;
    }
    if (!confirmation.isGiven()) {
      table(found).lines().forEach(context().err()::println);
    }
    if (!confirmation.allows(context(), "remove " + count(found) + ", " + size(found))) {
      return Confirmation.DECLINED;
    }
    return remove(client, found);
  }

  private int remove(Client client, List<Candidate> found) {
    // Somebody may have named or used one of them while the question stood.
    List<String> still = Unneeded.on(client, all).stream().map(Candidate::id).toList();
    List<Candidate> removed = new ArrayList<>();
    int status = 0;
    for (Candidate one : found) {
      if (!still.contains(one.id())) {
        context().err().println("kept, because it is needed now or gone: " + one.id());
        continue;
      }
      try {
        client.delete(one.path());
        removed.add(one);
      } catch (RametException e) {
        if (e.code() != ErrorCode.NOT_FOUND) {
          int failed = Errors.print(context(), e);
          status = status == 0 ? failed : status;
        }
      }
    }
    print(removed);
    return status;
  }

  private void print(List<Candidate> all) {
    ArrayNode array = Json.mapper().createArrayNode();
    for (Candidate one : all) {
      ObjectNode node = array.addObject();
      node.put("kind", one.kind()).put("id", one.id()).put("reason", one.reason());
      node.put("createdAt", one.created());
      if (one.bytes() >= 0) {
        node.put("bytes", one.bytes());
      }
    }
    String ids = String.join(System.lineSeparator(), all.stream().map(Candidate::id).toList());
    if (all.isEmpty() && format().isTable()) {
      context().out().println("Nothing is unneeded.");
    } else if (!printed(Json.bytes(array), ids)) {
      output().print(context(), table(all));
      context()
          .out()
          .println(count(all) + (dryRun ? ", would free " : " removed, freed ") + size(all));
    }
  }

  private Table table(List<Candidate> all) {
    Instant now = Instant.now();
    Table table = new Table(context().paint(), "KIND", "ID", "WHY", "CREATED", "OWN");
    for (Candidate one : all) {
      String own = one.bytes() < 0 ? "" : HumanFormat.size(one.bytes());
      table.row(one.kind(), one.id(), one.reason(), HumanFormat.timeSince(one.created(), now), own);
    }
    return table;
  }

  private static String count(List<Candidate> all) {
    return all.size() + (all.size() == 1 ? " object" : " objects");
  }

  private static String size(List<Candidate> all) {
    return HumanFormat.size(all.stream().mapToLong(one -> Math.max(0, one.bytes())).sum());
  }
}
