// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.ImportTemplateRequest;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Options;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that creates a template from an operator's own images. */
@Command(
    name = "import",
    description = {
      "Creates a template from your own kernel and disk, and prints its id.",
      "The template is booted and captured warm. The host reads the files: they must be"
          + " on its machine, in one of its ramet.exchange-directories if those are set."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet template import --name mine --kernel vmlinuz --rootfs disk.raw",
      "  ramet template import --name cold --kernel vmlinuz --initrd initrd --rootfs disk.raw \\",
      "      --append 'console=ttyS0 root=/dev/vda rw' --memory 1G --cold"
    })
final class Import extends TemplateMaker {
  @Option(names = "--name", required = true, paramLabel = "NAME", description = "NAME or NAME:TAG.")
  @RequestField("name")
  private String name = "";

  @Option(names = "--kernel", required = true, paramLabel = "FILE", description = "A Linux kernel.")
  @RequestField("kernel")
  private Path kernel = Path.of("");

  @Option(
      names = "--rootfs",
      required = true,
      paramLabel = "FILE",
      description = "A raw disk image.")
  @RequestField("rootfs")
  private Path rootfs = Path.of("");

  @Option(names = "--initrd", paramLabel = "FILE", description = "An initial ram disk.")
  @RequestField("initrd")
  private @Nullable Path initrd;

  @Option(names = "--append", paramLabel = "TEXT", description = "The kernel's command line.")
  @RequestField("kernelArguments")
  private @Nullable String append;

  @Option(names = "--cpu", paramLabel = "N", description = "Virtual CPUs (default: 1).")
  @RequestField("cpuCount")
  private @Nullable Integer cpu;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Memory, such as 512M or 1G (default: 512M).")
  @RequestField("memoryMB")
  private @Nullable String memory;

  @Option(
      names = "--cold",
      description = "Do not boot it now: every sandbox then boots on its own.")
  @RequestField("cold")
  private boolean cold;

  Import(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    return make(
        client,
        "/templates/import",
        new ImportTemplateRequest(
            name,
            absolute(kernel),
            absolute(rootfs),
            initrd == null ? null : absolute(initrd),
            append,
            cpu,
            Options.mebibytes("--memory", memory),
            cold ? Boolean.TRUE : null));
  }

  private static String absolute(Path path) {
    return path.toAbsolutePath().normalize().toString();
  }
}
