// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.cli.command.Confirmation;
import dev.ramet.cli.command.Context;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command that deletes a pool. */
@Command(
    name = "remove",
    description = "Unmounts a data root's pool and deletes it with everything in it.",
    exitCodeList = {
      "4:Machines use the pool, or it is not a pool of Ramet.",
      "5:This machine or user cannot unmount or delete the pool."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet storage remove --data-root /srv/ramet --yes"})
final class Remove implements Callable<Integer> {
  private final Context context;
  @Mixin private DataRoot dataRoot = new DataRoot();

  @Mixin private final Confirmation confirmation = new Confirmation();

  Remove(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Path root = Provisioners.requireDataRoot(dataRoot.path(context));
    if (!confirmation.allows(context, "delete every sandbox, snapshot and template in " + root)) {
      return Confirmation.DECLINED;
    }
    for (StorageProvisioner provisioner : Provisioners.all()) {
      provisioner.remove(root);
    }
    return 0;
  }
}
