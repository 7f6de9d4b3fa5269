// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import picocli.CommandLine.Command;

/** The group of commands for storage. */
@Command(
    name = "storage",
    description = {
      "The storage of a host.",
      "check and usage ask a running host, or open the data root on this machine if no"
          + " host runs. gc, export and import need a running host. status, provision,"
          + " unmount and remove manage the pool of a data root on this machine while no host runs on it."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      Check.class,
      Usage.class,
      Gc.class,
      Export.class,
      Import.class,
      Status.class,
      Provision.class,
      Unmount.class,
      Remove.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet storage check",
      "  ramet storage usage",
      "  ramet storage export before-upgrade /backup/before-upgrade",
      "  ramet storage import /backup/before-upgrade",
      "  ramet storage status",
      "  ramet storage provision --data-root /srv/ramet --size 20",
      "  ramet storage unmount",
      "  ramet storage remove --data-root /srv/ramet --yes"
    })
public final class Storage {}
