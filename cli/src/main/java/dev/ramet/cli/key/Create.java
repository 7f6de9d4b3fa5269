// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.key;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Json;
import dev.ramet.keys.KeyFile;
import dev.ramet.keys.Scope;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that creates a key. */
@Command(
    name = "create",
    description = {
      "Creates an API key and prints it. It is shown only once: the host keeps only its"
          + " digest.",
      "A running host accepts it from its next request on."
    },
    exitCodeList = {"3:The data root does not exist."},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet key create ci",
      "  export RAMET_API_KEY=$(ramet key create operator --scope admin)"
    })
final class Create implements Callable<Integer> {
  private final Context context;
  @Mixin private KeysOption keys = new KeysOption();

  @Parameters(paramLabel = "NAME", description = "Its name, which no other key has.")
  private String name = "";

  @Option(
      names = "--scope",
      paramLabel = "SCOPE",
      defaultValue = "user",
      description =
          "user: sandboxes and snapshots. admin: also templates, storage and the host itself.")
  private String scope = "user";

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  Create(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    KeyFile.Created created =
        new KeyFile(keys.keyFile(context)).create(name, Scope.fromLabel(scope));
    if (json) {
      context.json(Json.bytes(KeyView.toJson(created.stored()).put("key", created.key())));
    } else {
      context.out().println(created.key());
    }
    return 0;
  }
}
