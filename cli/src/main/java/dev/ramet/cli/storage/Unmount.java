// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.cli.command.Context;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command that unmounts a pool and deletes nothing. */
@Command(
    name = "unmount",
    description = {
      "Unmounts a data root's pool and deletes nothing.",
      "No host may run on the data root, and no sandbox in it. A host that stops does this"
          + " itself if none of its sandboxes runs; the next start mounts the pool again."
    },
    exitCodeList = {
      "4:Machines use the pool, or it is not a pool of Ramet.",
      "5:This machine or user cannot unmount the pool."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ramet storage unmount", "  ramet storage unmount --data-root /srv/ramet"})
final class Unmount implements Callable<Integer> {
  private final Context context;
  @Mixin private DataRoot dataRoot = new DataRoot();

  Unmount(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    Path root = Provisioners.requireDataRoot(dataRoot.path(context));
    List<Path> unmounted = OfflineDataRoots.unmountPools(context, root);
    unmounted.forEach(pool -> context.out().println("unmounted " + pool));
    if (unmounted.isEmpty()) {
      context.out().println("no pool is mounted in " + root);
    }
    return 0;
  }
}
