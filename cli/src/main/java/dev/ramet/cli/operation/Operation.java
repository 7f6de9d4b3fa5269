// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.operation;

import picocli.CommandLine.Command;

/** The group of commands for operations. */
@Command(
    name = "operation",
    aliases = "op",
    description = "Operations: the running and finished work of a host since its start.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {Ls.class, Show.class, Watch.class, Cancel.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet operation ls --state running",
      "  ramet operation watch OPERATION",
      "  ramet operation cancel OPERATION"
    })
public final class Operation {}
