// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.volume;

import picocli.CommandLine.Command;

/** The group of commands for volumes. */
@Command(
    name = "volume",
    aliases = "vol",
    description = "Volumes: directories that sandboxes share, and that no rollback touches.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {Create.class, Ls.class, Show.class, Rm.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet volume create data",
      "  ramet sandbox create --volume data:/mnt/data",
      "  ramet volume ls",
      "  ramet volume rm data"
    })
public final class Volume {}
