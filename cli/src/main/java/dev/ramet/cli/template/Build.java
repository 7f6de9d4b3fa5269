// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.BuildTemplateRequest;
import dev.ramet.api.template.ImageTemplateRequest;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.errors.RametException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that builds a template from a recipe or a container image. */
@Command(
    name = "build",
    description = {
      "Builds a template from a recipe or a container image, and prints its id.",
      "The template is booted and captured warm. If the same content exists already,"
          + " nothing is built.",
      "An image is an OCI layout, as a directory or tar archive, or an archive from"
          + " docker save. The host reads it: it must be on the host's machine, in one of its"
          + " ramet.exchange-directories if those are set. The image's command is started as"
          + " its user, and runs in every sandbox."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet template build",
      "  ramet template build micro --name big --memory 1G --cpu 2 --disk 4G",
      "  ramet template build micro --name big:v2 --memory 2G",
      "  ramet template build --oci nginx.tar --name web --ready 'curl -sf localhost'",
      "  ramet template build --oci layout --tag v2 --name tools --no-start"
    })
final class Build extends TemplateMaker {
  @Parameters(
      arity = "0..1",
      paramLabel = "RECIPE",
      description = "The recipe (default: micro); ramet template recipes lists all.")
  @RequestField("recipe")
  private @Nullable String recipe;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = {
        "The recipe's name unless given; an image needs one.",
        "NAME:TAG makes a version with that tag."
      })
  @RequestField("name")
  private @Nullable String name;

  @Option(names = "--oci", paramLabel = "IMAGE", description = "A container image, by its path.")
  @RequestField("image")
  private @Nullable Path image;

  @Option(
      names = "--platform",
      paramLabel = "OS/ARCH",
      description = "Which platform of the image (default: linux/amd64).")
  @RequestField("platform")
  private @Nullable String platform;

  @Option(
      names = "--tag",
      paramLabel = "TAG",
      description = "Which image, where there are several.")
  @RequestField("tag")
  private @Nullable String tag;

  @Option(
      names = "--start",
      paramLabel = "COMMAND",
      description = "Start this shell command instead of the image's command.")
  @RequestField("start")
  private @Nullable String start;

  @Option(names = "--no-start", description = "Start nothing.")
  @RequestField("noStart")
  private boolean noStart;

  @Option(
      names = "--ready",
      paramLabel = "COMMAND",
      description =
          "Capture the template once this command succeeds, instead of after three seconds.")
  @RequestField("ready")
  private @Nullable String ready;

  @Option(names = "--cpu", paramLabel = "N", description = "Virtual CPUs.")
  @RequestField("cpuCount")
  private @Nullable Integer cpu;

  @Option(names = "--memory", paramLabel = "SIZE", description = "Memory, such as 512M or 1G.")
  @RequestField("memoryMB")
  private @Nullable String memory;

  @Option(names = "--disk", paramLabel = "SIZE", description = "Size of the disk, such as 4G.")
  @RequestField("diskSizeMB")
  private @Nullable String disk;

  Build(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Path file = image;
    if (file != null) {
      return buildFromImage(client, file);
    }
    if (platform != null || tag != null || start != null || noStart || ready != null) {
      throw RametException.invalid(
          "--platform, --tag, --start, --no-start, --ready", "need an image, given with --oci");
    }
    return make(
        client,
        "/templates",
        new BuildTemplateRequest(
            recipe == null ? "micro" : recipe,
            name,
            cpu,
            Options.mebibytes("--memory", memory),
            Options.mebibytes("--disk", disk)));
  }

  private int buildFromImage(Client client, Path file) {
    if (recipe != null) {
      throw RametException.invalid("--oci", "cannot be combined with a recipe");
    }
    if (name == null) {
      throw RametException.invalid("--name", "is needed for a template of an image");
    }
    return make(
        client,
        "/templates/image",
        ImageTemplateRequest.builder()
            .name(name)
            .image(file.toAbsolutePath().normalize().toString())
            .platform(platform)
            .tag(tag)
            .start(start)
            .noStart(noStart ? Boolean.TRUE : null)
            .ready(ready)
            .cpuCount(cpu)
            .memoryMB(Options.mebibytes("--memory", memory))
            .diskSizeMB(Options.mebibytes("--disk", disk))
            .build());
  }
}
