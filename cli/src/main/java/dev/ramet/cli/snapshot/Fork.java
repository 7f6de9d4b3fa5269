// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.snapshot;

import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Errors;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.errors.RametException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that starts a sandbox from a snapshot. */
@Command(
    name = "fork",
    description = {
      "Starts sandboxes from a snapshot, whose state they have; each fails alone.",
      "It prints their ids. It differs from sandbox fork and clone, which copy a sandbox as it is"
          + " now and need no snapshot."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet snapshot fork SNAPSHOT",
      "  ramet snapshot fork SNAPSHOT -n 3 --label test=load",
      "  ramet snapshot fork SNAPSHOT --memory 1G --disk 8G"
    })
final class Fork extends ApiCommand {
  private static final int MOST = 100;

  @Parameters(paramLabel = "SNAPSHOT", description = "Id, NAME, or NAME:TAG of the snapshot.")
  @RequestField("templateID")
  private String id = "";

  @Option(
      names = {"-n", "--count"},
      paramLabel = "N",
      defaultValue = "1",
      description = "How many, 1 to 100 (default: ${DEFAULT-VALUE}).")
  private int count = 1;

  @Option(
      names = {"-l", "--label", "-m", "--metadata"},
      paramLabel = "K=V",
      description = "A label to keep with it; E2B calls labels metadata. May be repeated.")
  @RequestField("metadata")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "When it is killed automatically: 300 (seconds), 15m, 2h or never (default: 300).")
  @RequestField("timeout")
  private @Nullable String timeout;

  @Option(
      names = "--cpu",
      paramLabel = "N",
      description = "Virtual CPUs; a number other than the snapshot's means a cold boot.")
  @RequestField("cpuCount")
  private @Nullable Integer cpu;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description =
          "Memory, such as 512M or 1G; a size other than the snapshot's means a cold boot.")
  @RequestField("memoryMB")
  private @Nullable String memory;

  @Option(
      names = "--disk",
      paramLabel = "SIZE",
      description = "A larger disk, such as 4G, for a sandbox that boots: see --memory.")
  @RequestField("diskSizeMB")
  private @Nullable String disk;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "The only memory mode for captures of it; by default, each capture uses the best one.")
  @RequestField("memoryMode")
  private @Nullable String mode;

  Fork(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    if (count < 1 || count > MOST) {
      throw RametException.invalid("--count", "must be 1 to " + MOST);
    }
    CreateSandbox request =
        CreateSandbox.builder()
            .timeout(Options.timeout(timeout))
            .metadata(labels.isEmpty() ? null : labels)
            .cpuCount(cpu)
            .memoryMB(Options.mebibytes("--memory", memory))
            .diskSizeMB(Options.mebibytes("--disk", disk))
            .memoryMode(mode)
            .build();
    int status = 0;
    for (int i = 0; i < count; i++) {
      int one = start(client, request);
      status = status == 0 ? one : status;
    }
    return status;
  }

  private int start(Client client, CreateSandbox request) {
    ClientResponse answer;
    try {
      answer =
          context()
              .during(
                  "Starting a sandbox from " + id,
                  () -> client.post("/snapshots/" + Client.encode(id) + "/fork", request));
    } catch (RametException e) {
      return Errors.print(context(), e);
    }
    return printId(answer, SandboxInfo.class, SandboxInfo::sandboxID);
  }
}
