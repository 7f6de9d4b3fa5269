// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.secret;

import picocli.CommandLine.Command;

/** The group of commands for secrets. */
@Command(
    name = "secret",
    description = {
      "Values that the host puts into guests' requests and never shows.",
      "The network rules of a sandbox refer to them as $${e2b.secrets.NAME}."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {Create.class, Ls.class, Rm.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet secret create openai < openai.key",
      "  ramet secret ls",
      "  ramet secret rm openai"
    })
public final class Secret {}
