// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.cli.command.Context;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command that shows the state of a pool. */
@Command(
    name = "status",
    description = "Shows whether a data root has a pool, needs one, or could have one.",
    footerHeading = "%nExamples:%n",
    footer = {"  ramet storage status", "  ramet storage status --data-root /srv/ramet"})
final class Status implements Callable<Integer> {
  private final Context context;
  @Mixin private DataRoot dataRoot = new DataRoot();

  Status(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Path root = Provisioners.requireDataRoot(dataRoot.path(context));
    for (StorageProvisioner provisioner : Provisioners.all()) {
      context.out().println(Provisioners.line(provisioner, provisioner.status(root)));
    }
    return 0;
  }
}
