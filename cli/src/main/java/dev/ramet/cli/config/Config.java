// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.config;

import picocli.CommandLine.Command;

/** The group of commands for settings. */
@Command(
    name = "config",
    description = {
      "The settings that `ramet serve` would use on this machine.",
      "Options override the environment, which overrides the file of settings."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {Show.class, Check.class},
    footerHeading = "%nExamples:%n",
    footer = {"  ramet config show", "  ramet config check --config new.yaml"})
public final class Config {}
