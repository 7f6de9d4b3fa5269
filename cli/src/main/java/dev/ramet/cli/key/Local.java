// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.key;

import dev.ramet.cli.command.Connection;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.local.LocalHost;
import dev.ramet.cli.storage.DataRoot;
import dev.ramet.keys.LocalKeyFile;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command that prints the local key. */
@Command(
    name = "local",
    description = {
      "Prints the key that a host created for the administrators of its machine.",
      "The host's user and root can read it, and ramet uses it by itself. To revoke it,"
          + " remove local.key from the data root; the next start of the host creates another"
          + " one."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  export E2B_API_KEY=$(ramet key local)",
      "  curl -H \"X-API-Key: $(ramet key local)\" http://127.0.0.1:3000/sandboxes"
    })
final class Local implements Callable<Integer>, Connection.User {
  private final Context context;
  @Mixin private DataRoot dataRoot = new DataRoot();

  Local(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    context.out().println(LocalKeyFile.read(keyFile()));
    return 0;
  }

  private Path keyFile() {
    LocalHost host = dataRoot.isGiven() ? null : context.target().local();
    Path known = host == null ? null : host.keyFile();
    return known == null ? dataRoot.path(context).resolve(LocalKeyFile.NAME) : known;
  }
}
