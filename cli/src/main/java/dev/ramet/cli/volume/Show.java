// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.volume;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.volume.VolumeInfo;
import dev.ramet.api.volume.VolumeMountInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.Table;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that shows one volume. */
@Command(
    name = "show",
    aliases = "info",
    description = "Shows one volume, the token for its files, and the sandboxes that mount it.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet volume show data", "  ramet volume show data --json | jq -r .token"})
final class Show extends ViewCommand {
  @Parameters(paramLabel = "VOLUME", description = "NAME or id of the volume.")
  private String volume = "";

  Show(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return show(
        client.get("/volumes/" + Client.encode(Names.id(client, volume))),
        VolumeInfo.class,
        VolumeInfo::volumeID,
        (table, info) -> rows(client, table, info));
  }

  private static void rows(Client client, Table table, VolumeInfo info) {
    table.row("Name", info.name());
    table.row("Volume", info.volumeID());
    table.row("Token", String.valueOf(info.token()));
    for (SandboxInfo s : Json.read(client.getAllPages("/v2/sandboxes"), SandboxInfo[].class)) {
      List<VolumeMountInfo> mounts = s.volumeMounts();
      if (mounts != null) {
        for (VolumeMountInfo mount : mounts) {
          if (info.name().equals(mount.name())) {
            table.row("Seen by", s.sandboxID() + " at " + mount.path());
          }
        }
      }
    }
  }
}
