// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.key;

import dev.ramet.cli.command.Confirmation;
import dev.ramet.cli.command.Context;
import dev.ramet.keys.ApiKey;
import dev.ramet.keys.KeyFile;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command that revokes keys. */
@Command(
    name = "revoke",
    aliases = "rm",
    description = "Revokes API keys. A running host refuses them from its next request on.",
    exitCodeList = {"3:The key or the data root does not exist."},
    footerHeading = "%nExamples:%n",
    footer = {"  ramet key revoke ci", "  ramet key revoke key-1f0c22ab"})
final class Revoke implements Callable<Integer> {
  private final Context context;
  @Mixin private KeysOption keys = new KeysOption();

  @Parameters(arity = "1..*", paramLabel = "KEY", description = "Ids or names of keys.")
  private List<String> which = List.of();

  @Mixin private final Confirmation confirmation = new Confirmation();

  Revoke(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (!confirmation.allowsSeveral(context, "revoke", which.size(), "keys")) {
      return Confirmation.DECLINED;
    }
    KeyFile file = new KeyFile(keys.keyFile(context));
    for (String key : which) {
      ApiKey revoked = file.revoke(key);
      context.out().println(revoked.id());
    }
    return 0;
  }
}
