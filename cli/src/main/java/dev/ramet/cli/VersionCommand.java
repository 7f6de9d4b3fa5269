// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.cli.command.Connection;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Errors;
import dev.ramet.cli.http.Json;
import dev.ramet.errors.RametException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that shows the versions of this program and of the host. */
@Command(
    name = "version",
    description = "Shows the versions of this program and of the host that it asks.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet version",
      "  ramet version --client",
      "  ramet version --json | jq -r .host.version"
    })
final class VersionCommand implements Callable<Integer>, Connection.User {
  private final Context context;

  @Option(names = "--client", description = "Only this program's; no host is asked.")
  private boolean client;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  VersionCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    ObjectNode tree = Json.mapper().createObjectNode();
    tree.putObject("client")
        .put("version", Ramet.Version.number())
        .put("java", Runtime.version().toString());
    if (!json) {
      context.out().println("Client: " + Ramet.Version.number() + ", Java " + Runtime.version());
    }
    int status = client ? 0 : askHost(tree);
    if (json) {
      context.json(Json.bytes(tree));
    }
    return status;
  }

  /** A host that does not answer is an error, after the client's version is known. */
  private int askHost(ObjectNode tree) {
    try {
      // The description of a host's API bears the host's version.
      byte[] api = context.client().get("/openapi.json").body();
      String version = Json.tree(api).path("info").path("version").asText("unknown");
      tree.putObject("host").put("version", version).put("server", context.target().address());
      if (!json) {
        context.out().println("Host: " + version + ", " + context.describeTarget());
      }
      return 0;
    } catch (RametException e) {
      return Errors.print(context, e);
    }
  }
}
