// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.secret;

import dev.ramet.api.secret.SecretInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import java.time.Instant;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** The command that lists secrets. */
@Command(
    name = "ls",
    aliases = "list",
    description = "Lists secrets, oldest first. Their values cannot be shown.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet secret ls", "  ramet secret ls --json | jq -r '.[].name'"})
final class Ls extends ApiCommand {
  Ls(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Instant now = Instant.now();
    Table table = new Table(context().paint(), "SECRET", "NAME", "VERSION", "UPDATED", "METADATA");
    return list(
        client.getAllPages("/secrets"),
        SecretInfo[].class,
        table,
        secret ->
            table.row(
                secret.secretID(),
                secret.name(),
                "" + secret.currentVersion(),
                HumanFormat.timeSince(secret.updatedAt(), now),
                new TreeMap<>(secret.metadata())
                    .entrySet().stream()
                        .map(pair -> pair.getKey() + "=" + pair.getValue())
                        .collect(Collectors.joining(","))));
  }
}
