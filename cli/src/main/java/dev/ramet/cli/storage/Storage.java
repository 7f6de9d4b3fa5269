// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import picocli.CommandLine.Command;

/** The group of commands on storage. */
@Command(
    name = "storage",
    description = "The pool of a data root on this machine. No host may be running on it.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {Status.class, Provision.class, Remove.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet storage status",
      "  ramet storage provision --data-root /srv/ramet --size 20",
      "  ramet storage remove --data-root /srv/ramet --yes"
    })
public final class Storage {}
