// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.life;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.sandbox.SandboxName;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that gives a sandbox a name. */
@Command(
    name = "rename",
    description = "Gives a sandbox a name, which commands and URLs take instead of its id.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet sandbox rename ID web", "  ramet sandbox rename web ''      # no name"})
public final class Rename extends ApiCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox, by id or name.")
  private String id = "";

  @Parameters(
      index = "1",
      paramLabel = "NAME",
      description =
          "A name that no other sandbox of the host has: 1 to 57 characters of a-z 0-9 -; empty for"
              + " none.")
  @RequestField("name")
  private String name = "";

  Rename(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return printId(
        client.put("/sandboxes/" + Client.encode(id) + "/name", new SandboxName(name)),
        SandboxInfo.class,
        SandboxInfo::sandboxID);
  }
}
