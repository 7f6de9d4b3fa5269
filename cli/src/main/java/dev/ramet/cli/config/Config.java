// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.config;

import picocli.CommandLine.Command;

/** The group of commands for settings. */
@Command(
    name = "config",
    description = {
      "The settings that `ramet serve` would use on this machine.",
      "They come from a file, from the environment and from options; options override the"
          + " others."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {Show.class, Check.class},
    footerHeading = "%nExamples:%n",
    footer = {"  ramet config show", "  ramet config check --config new.yaml"})
public final class Config {}
