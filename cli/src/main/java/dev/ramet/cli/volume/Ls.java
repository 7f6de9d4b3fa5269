// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.volume;

import dev.ramet.api.volume.VolumeInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that lists volumes. */
@Command(
    name = "ls",
    aliases = "list",
    description = "Lists volumes, oldest first.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet volume ls", "  ramet volume ls --json | jq -r '.[].name'"})
final class Ls extends ApiCommand {
  @Option(
      names = {"-q", "--quiet"},
      description = "Print only the ids.")
  private boolean quiet;

  Ls(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    byte[] list = client.getAllPages("/volumes");
    if (quiet) {
      return ids(list, VolumeInfo[].class, VolumeInfo::volumeID);
    }
    Table table = new Table(context().paint(), "NAME", "VOLUME");
    return list(
        list, VolumeInfo[].class, table, volume -> table.row(volume.name(), volume.volumeID()));
  }
}
