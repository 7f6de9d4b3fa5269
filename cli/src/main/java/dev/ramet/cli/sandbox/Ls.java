// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ListCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.output.Listing;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lists sandboxes. */
@Command(
    name = "ls",
    aliases = "list",
    description = {"Lists sandboxes, newest first.", "Filters: state, template, name, label."},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox ls",
      "  ramet sandbox ls --filter state=running,label=owner=ci",
      "  ramet sandbox ls -o wide --watch",
      "  ramet sandbox ls -o jsonpath='{range [*]}{.sandboxID} {.state}{\"\\n\"}{end}'",
      "  ramet sandbox kill $(ramet sandbox ls -q)"
    })
final class Ls extends ListCommand<SandboxInfo> {
  @Option(
      names = "--state",
      paramLabel = "STATES",
      description = "Only those in these states, separated by commas: running,paused.")
  private @Nullable String state;

  Ls(Context context) {
    super(context);
  }

  @Override
  protected byte[] fetch(Client client) {
    return client.getAllPages(
        filtered("/v2/sandboxes" + (state == null ? "" : "?state=" + Client.encode(state))));
  }

  @Override
  protected Listing<SandboxInfo> listing(Instant now) {
    return SandboxListing.at(now);
  }
}
