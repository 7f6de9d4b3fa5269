// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.OutputOptions;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.output.OutputFormat;
import dev.ramet.spi.storage.root.ProvisioningStatus;
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
  @Mixin private OutputOptions output = new OutputOptions();

  Status(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    OutputFormat format = output.format(false);
    Path root = Provisioners.requireDataRoot(dataRoot.path(context));
    ArrayNode all = Json.mapper().createArrayNode();
    for (StorageProvisioner provisioner : Provisioners.all()) {
      ProvisioningStatus status = provisioner.status(root);
      if (format.isTable()) {
        context.out().println(Provisioners.line(provisioner, status));
      } else if (format.kind() == OutputFormat.Kind.NAME) {
        context.out().println(provisioner.id());
      } else {
        all.add(Provisioners.json(provisioner, status));
      }
    }
    if (!format.isTable() && format.kind() != OutputFormat.Kind.NAME) {
      OutputOptions.data(context, format, Json.bytes(all));
    }
    return 0;
  }
}
