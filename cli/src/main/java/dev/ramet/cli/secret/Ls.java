// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.secret;

import dev.ramet.api.secret.SecretInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ListCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.output.Filter;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.term.HumanFormat;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import picocli.CommandLine.Command;

/** The command that lists secrets. */
@Command(
    name = "ls",
    aliases = "list",
    description = {
      "Lists secrets, oldest first. Their values cannot be shown.",
      "Filters: name, label."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet secret ls", "  ramet secret ls --json | jq -r '.[].name'"})
final class Ls extends ListCommand<SecretInfo> {
  Ls(Context context) {
    super(context);
  }

  @Override
  protected byte[] fetch(Client client) {
    return client.getAllPages("/secrets");
  }

  @Override
  protected Listing<SecretInfo> listing(Instant now) {
    return new Listing<>(SecretInfo[].class, SecretInfo::secretID)
        .column("SECRET", SecretInfo::secretID)
        .column("NAME", SecretInfo::name)
        .column("VERSION", secret -> "" + secret.currentVersion())
        .column("UPDATED", secret -> HumanFormat.timeSince(secret.updatedAt(), now))
        .column("METADATA", secret -> String.join(",", labels(secret)))
        .filter("name", secret -> List.of(secret.name()))
        .filter(Filter.LABEL, Ls::labels);
  }

  private static List<String> labels(SecretInfo secret) {
    return new TreeMap<>(secret.metadata())
        .entrySet().stream().map(pair -> pair.getKey() + "=" + pair.getValue()).toList();
  }
}
