// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import picocli.CommandLine.Command;

/** The group of commands for snapshots. */
@Command(
    name = "snapshot",
    aliases = "snap",
    description = "Snapshots: a sandbox's disk, memory and devices at one instant.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      Create.class,
      Ls.class,
      Show.class,
      Wait.class,
      Diff.class,
      Rm.class,
      Fork.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  snapshot=$(ramet snapshot create ID)",
      "  ramet sandbox rollback ID $snapshot",
      "  ramet snapshot fork $snapshot",
      "  ramet snapshot rm $snapshot"
    })
public final class Snapshot {}
