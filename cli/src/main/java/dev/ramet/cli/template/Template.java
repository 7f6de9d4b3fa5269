// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import picocli.CommandLine.Command;

/** The group of commands for templates. */
@Command(
    name = "template",
    aliases = "tpl",
    description = "Templates: machines to start sandboxes from.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      Build.class,
      Import.class,
      Recipes.class,
      Ls.class,
      Show.class,
      Tag.class,
      Untag.class,
      Tags.class,
      Rm.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet template build micro",
      "  ramet template import --name mine --kernel vmlinuz --rootfs disk.raw",
      "  ramet template list",
      "  ramet template tag web:v2 stable"
    })
public final class Template {}
