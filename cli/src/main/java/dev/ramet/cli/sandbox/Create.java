// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.HumanFormat;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that starts a sandbox. */
@Command(
    name = "create",
    description = "Starts a sandbox from a template or snapshot and prints its id.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox create",
      "  ramet sandbox create --template before-upgrade --timeout never",
      "  ramet sandbox create --memory 1G --cpu 2 --metadata owner=ci --env LANG=C.UTF-8",
      "  ramet sandbox create --internet --deny-out all --allow-out 192.0.2.0/24",
      "  ramet sandbox create --private --host-mask 'localhost:$${PORT}'",
      "  ramet sandbox create --volume data:/mnt/data"
    })
final class Create extends ApiCommand {
  @Option(
      names = {"-t", "--template"},
      paramLabel = "NAME",
      defaultValue = "micro",
      description = "Id, NAME, or NAME:TAG of a template or snapshot (default: ${DEFAULT-VALUE}).")
  private String template = "micro";

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "When it is killed automatically: 300 (seconds), 15m, 2h or never (default: 300).")
  private @Nullable String timeout;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "A name that no other sandbox of the host has, to use instead of its id: 1 to 57"
              + " characters of a-z 0-9 -.")
  private @Nullable String name;

  @Option(
      names = {"-m", "--metadata"},
      paramLabel = "K=V",
      description = "Metadata to keep with it. May be repeated.")
  private Map<String, String> metadata = new LinkedHashMap<>();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "An environment variable for every program in it. May be repeated.")
  private Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = "--cpu",
      paramLabel = "N",
      description = "Virtual CPUs; a number other than the template's means a cold boot.")
  private @Nullable Integer cpu;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description =
          "Memory, such as 512M or 1G; a size other than the template's means a cold boot.")
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

  @Option(
      names = "--internet",
      negatable = true,
      description =
          "Whether it may open connections; by default, the host's ramet.outbound decides.")
  private @Nullable Boolean internet;

  @Mixin private final NetworkOptions network = new NetworkOptions();

  @Mixin private final InboundOptions inbound = new InboundOptions();

  @Mixin private final VolumeOptions volumes = new VolumeOptions();

  Create(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    CreateSandbox plain =
        CreateSandbox.builder()
            .templateID(template)
            .name(name)
            .timeout(Options.timeout(timeout))
            .metadata(metadata.isEmpty() ? null : metadata)
            .envVars(env.isEmpty() ? null : env)
            .cpuCount(cpu)
            .memoryMB(Options.mebibytes("--memory", memory))
            .diskSizeMB(Options.mebibytes("--disk", disk))
            .allow_internet_access(internet)
            .memoryMode(mode)
            .network(inbound.applyTo(network.toSettings()))
            .build();
    CreateSandbox request = volumes.applyTo(plain);
    ClientResponse answer =
        context()
            .during(
                "Starting a sandbox from " + template, () -> client.post("/sandboxes", request));
    int status = printId(answer, SandboxInfo.class, SandboxInfo::sandboxID);
    sayWhenItEnds(answer.parse(SandboxInfo.class));
    return status;
  }

  /** Says on standard error when the sandbox ends, because its disk is deleted then. */
  private void sayWhenItEnds(SandboxInfo made) {
    String end = made.endAt();
    if (end == null) {
      return;
    }
    long millis = Duration.between(Instant.parse(made.startedAt()), Instant.parse(end)).toMillis();
    boolean pauses = made.lifecycle() != null && "pause".equals(made.lifecycle().onTimeout());
    context()
        .err()
        .println(
            (pauses ? "pauses in " : "ends in ")
                + HumanFormat.seconds((millis + 500) / 1000)
                + (timeout == null ? "; --timeout changes that" : ""));
  }
}
