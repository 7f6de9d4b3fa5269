// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.volume;

import dev.ramet.api.volume.CreateVolume;
import dev.ramet.api.volume.VolumeInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that creates a volume. */
@Command(
    name = "create",
    description = "Creates an empty volume and prints its id.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet volume create data", "  ramet volume create data --json | jq -r .token"})
final class Create extends ApiCommand {
  @Parameters(paramLabel = "NAME", description = "A name that no other volume has.")
  @RequestField("name")
  private String name = "";

  Create(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    ClientResponse answer = client.post("/volumes", new CreateVolume(name));
    return printId(answer, VolumeInfo.class, VolumeInfo::volumeID);
  }
}
