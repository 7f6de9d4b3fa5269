// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.volume;

import dev.ramet.api.volume.VolumeInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ListCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.output.Listing;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;

/** The command that lists volumes. */
@Command(
    name = "ls",
    aliases = "list",
    description = {"Lists volumes, oldest first.", "Filters: name."},
    footerHeading = "%nExamples:%n",
    footer = {"  ramet volume ls", "  ramet volume ls --json | jq -r '.[].name'"})
final class Ls extends ListCommand<VolumeInfo> {
  Ls(Context context) {
    super(context);
  }

  @Override
  protected byte[] fetch(Client client) {
    return client.getAllPages("/volumes");
  }

  @Override
  protected Listing<VolumeInfo> listing(Instant now) {
    return new Listing<>(VolumeInfo[].class, VolumeInfo::volumeID)
        .column("NAME", VolumeInfo::name)
        .column("VOLUME", VolumeInfo::volumeID)
        .filter("name", volume -> List.of(volume.name()));
  }
}
