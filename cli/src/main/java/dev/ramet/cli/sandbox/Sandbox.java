// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.cli.copy.Cp;
import dev.ramet.cli.life.Label;
import dev.ramet.cli.life.Rename;
import dev.ramet.cli.life.Restart;
import dev.ramet.cli.life.Timeout;
import dev.ramet.cli.observe.Logs;
import dev.ramet.cli.shell.Exec;
import dev.ramet.cli.shell.Shell;
import picocli.CommandLine.Command;

/** The group of commands for sandboxes. */
@Command(
    name = "sandbox",
    aliases = "sb",
    description = "Sandboxes: running microVMs, each with its own disk and memory.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      Create.class,
      Ls.class,
      Show.class,
      Exec.class,
      Shell.class,
      Cp.class,
      Logs.class,
      Kill.class,
      Pause.class,
      Resume.class,
      Restart.class,
      Timeout.class,
      Rename.class,
      Label.class,
      Network.class,
      Rollback.class,
      Clone.class,
      Fork.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  id=$(ramet sandbox create)",
      "  ramet sandbox exec $id -- uname -a",
      "  ramet sandbox kill $id"
    })
public final class Sandbox {}
