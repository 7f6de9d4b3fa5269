// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that starts a sandbox from a snapshot. */
@Command(
    name = "fork",
    description = "Starts a sandbox from a snapshot, and prints its id.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet snapshot fork SNAPSHOT",
      "  ramet snapshot fork SNAPSHOT --memory 1G --disk 8G"
    })
final class Fork extends ApiCommand {
  @Parameters(paramLabel = "SNAPSHOT", description = "Id, NAME, or NAME:TAG of the snapshot.")
  private String id = "";

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "When it is killed automatically: 300 (seconds), 15m, 2h or never (default: 300).")
  private @Nullable String timeout;

  @Option(
      names = "--cpu",
      paramLabel = "N",
      description = "Virtual CPUs; a number other than the snapshot's means a cold boot.")
  private @Nullable Integer cpu;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description =
          "Memory, such as 512M or 1G; a size other than the snapshot's means a cold boot.")
  private @Nullable String memory;

  @Option(
      names = "--disk",
      paramLabel = "SIZE",
      description = "A larger disk, such as 4G, for a sandbox that boots: see --memory.")
  private @Nullable String disk;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "The only memory mode for captures of it; by default, each capture uses the best one.")
  private @Nullable String mode;

  Fork(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    CreateSandbox request =
        CreateSandbox.builder()
            .timeout(Options.timeout(timeout))
            .cpuCount(cpu)
            .memoryMB(Options.mebibytes("--memory", memory))
            .diskSizeMB(Options.mebibytes("--disk", disk))
            .memoryMode(mode)
            .build();
    ClientResponse answer =
        context()
            .during(
                "Starting a sandbox from " + id,
                () -> client.post("/snapshots/" + Client.encode(id) + "/fork", request));
    return printId(answer, SandboxInfo.class, SandboxInfo::sandboxID);
  }
}
