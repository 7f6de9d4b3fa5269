// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.request.InboundOptions;
import dev.ramet.cli.request.NetworkOptions;
import dev.ramet.cli.request.RequestFile;
import dev.ramet.cli.request.VolumeOptions;
import dev.ramet.cli.term.HumanFormat;
import java.io.IOException;
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
      "  ramet sandbox create --memory 1G --cpu 2 --label owner=ci --env LANG=C.UTF-8",
      "  ramet sandbox create --internet --deny-out all --allow-out 192.0.2.0/24",
      "  ramet sandbox create --private --host-mask 'localhost:$${PORT}'",
      "  ramet sandbox create --volume data:/mnt/data",
      "  ramet sandbox create -f sandbox.yaml --label stage=test"
    })
final class Create extends ApiCommand {
  @Option(
      names = {"-t", "--template"},
      paramLabel = "NAME",
      description = "Id, NAME, or NAME:TAG of a template or snapshot (default: micro).")
  @RequestField("templateID")
  private @Nullable String template;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "The request as YAML or JSON, - for standard input; other options override it.")
  private @Nullable String file;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "When it is killed automatically: 300 (seconds), 15m, 2h or never (default: 300).")
  @RequestField("timeout")
  private @Nullable String timeout;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "A name that no other sandbox of the host has, to use instead of its id: 1 to 57"
              + " characters of a-z 0-9 -.")
  @RequestField("name")
  private @Nullable String name;

  @Option(
      names = {"-l", "--label", "-m", "--metadata"},
      paramLabel = "K=V",
      description = "A label to keep with it; E2B calls labels metadata. May be repeated.")
  @RequestField("metadata")
  private Map<String, String> metadata = new LinkedHashMap<>();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "An environment variable for every program in it. May be repeated.")
  @RequestField("envVars")
  private Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = "--cpu",
      paramLabel = "N",
      description = "Virtual CPUs; a number other than the template's means a cold boot.")
  @RequestField("cpuCount")
  private @Nullable Integer cpu;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description =
          "Memory, such as 512M or 1G; a size other than the template's means a cold boot.")
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

  @Option(
      names = "--internet",
      negatable = true,
      description =
          "Whether it may open connections; by default, the host's ramet.outbound decides.")
  @RequestField("allow_internet_access")
  private @Nullable Boolean internet;

  @Mixin private final NetworkOptions network = new NetworkOptions();

  @Mixin private final InboundOptions inbound = new InboundOptions();

  @Mixin private final VolumeOptions volumes = new VolumeOptions();

  Create(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) throws IOException {
    CreateSandbox base = RequestFile.read(context(), file);
    String from = first(template, first(base.templateID(), "micro"));
    CreateSandbox plain =
        base.toBuilder()
            .templateID(from)
            .name(first(name, base.name()))
            .timeout(first(Options.timeout(timeout), base.timeout()))
            .metadata(joined(base.metadata(), metadata))
            .envVars(joined(base.envVars(), env))
            .cpuCount(first(cpu, base.cpuCount()))
            .memoryMB(first(Options.mebibytes("--memory", memory), base.memoryMB()))
            .diskSizeMB(first(Options.mebibytes("--disk", disk), base.diskSizeMB()))
            .allow_internet_access(first(internet, base.allow_internet_access()))
            .memoryMode(first(mode, base.memoryMode()))
            .network(NetworkOptions.merge(base.network(), inbound.applyTo(network.toSettings())))
            .build();
    CreateSandbox request = volumes.applyTo(plain);
    ClientResponse answer =
        context()
            .during("Starting a sandbox from " + from, () -> client.post("/sandboxes", request));
    int status = printId(answer, SandboxInfo.class, SandboxInfo::sandboxID);
    SandboxInfo made = answer.parse(SandboxInfo.class);
    if (made.warnings() != null) {
      made.warnings().forEach(warning -> context().err().println("warning: " + warning));
    }
    sayWhenItEnds(made, request.timeout() == null);
    return status;
  }

  /** Says on standard error when the sandbox ends, because its disk is deleted then. */
  private void sayWhenItEnds(SandboxInfo made, boolean byDefault) {
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
                + (byDefault ? "; --timeout changes that" : ""));
  }

  private static <V> @Nullable V first(@Nullable V option, @Nullable V otherwise) {
    return option == null ? otherwise : option;
  }

  /** Returns the pairs of the file, overridden by those of the options; null for none. */
  private static @Nullable Map<String, String> joined(
      @Nullable Map<String, String> inFile, Map<String, String> options) {
    Map<String, String> all = new LinkedHashMap<>(inFile == null ? Map.of() : inFile);
    all.putAll(options);
    return all.isEmpty() ? null : all;
  }
}
