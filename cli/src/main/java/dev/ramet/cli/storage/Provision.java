// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Options;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that creates a pool or mounts it again. */
@Command(
    name = "provision",
    description = {
      "Makes a copy-on-write pool inside a data root and mounts it.",
      "After a restart of the machine, it mounts the pool again. Does nothing if the pool"
          + " is mounted already."
    },
    exitCodeList = {
      "4:Something else is where the pool would be.",
      "5:This machine or user cannot make or mount a pool, or has no space for it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet storage provision",
      "  ramet storage provision --data-root /srv/ramet --size 20"
    })
final class Provision implements Callable<Integer> {
  private static final int GIB_SHIFT = 30;

  private final Context context;
  @Mixin private DataRoot dataRoot = new DataRoot();

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description =
          "Its size, such as 20G; chosen for the machine unless given. Space is allocated as it is"
              + " used.")
  private @Nullable String size;

  Provision(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Long gib = Options.gibibytes("--size", size);
    if (gib != null && (gib < 1 || gib > 1 << 20)) {
      throw RametException.invalid("--size", "must be 1G to 1048576G");
    }
    Path root = Provisioners.createDataRoot(dataRoot.path(context));
    for (StorageProvisioner provisioner : Provisioners.all()) {
      Long bytes = gib == null ? null : gib << GIB_SHIFT;
      context.out().println(provisioner.provision(root, bytes));
      String other = bytes == null ? null : Provisioners.sizeMismatch(provisioner, root, bytes);
      if (other != null) {
        context.err().println("--size has no effect: " + other);
      }
    }
    return 0;
  }
}
