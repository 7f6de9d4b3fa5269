// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.key;

import picocli.CommandLine.Command;

/** The group of commands for API keys. */
@Command(
    name = "key",
    description = {
      "The API keys of a host on this machine.",
      "A host accepts only requests that carry a key or come through its unix socket."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {Create.class, Local.class, Ls.class, Revoke.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet key create ci",
      "  ramet key create operator --scope admin",
      "  export E2B_API_KEY=$(ramet key local)",
      "  ramet key ls",
      "  ramet key revoke ci"
    })
public final class Key {}
