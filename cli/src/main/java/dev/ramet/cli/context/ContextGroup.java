// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.context;

import picocli.CommandLine.Command;

/** The group of commands for saved contexts. */
@Command(
    name = "context",
    aliases = "ctx",
    description = {
      "The hosts that commands can ask, each with a name, an address, a key and an authority.",
      "local is the host on this machine."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {Ls.class, Add.class, Use.class, Rm.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet context add build https://build.example.org:3000 --key-file ~/build.key",
      "  ramet context use build",
      "  ramet --context local sandbox ls"
    })
public final class ContextGroup {}
