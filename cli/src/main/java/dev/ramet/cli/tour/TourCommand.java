// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tour;

import dev.ramet.cli.command.Connection;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that demonstrates and checks Ramet's features on this host. */
@Command(
    name = "tour",
    description = {
      "Demonstrates on this host what Ramet does, and checks the results.",
      "Starts a sandbox, takes a snapshot, destroys, rolls back, clones, deletes everything."
    },
    exitCodeList = {"0:All checks passed.", "1:A check failed."},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet tour",
      "  ramet tour --clones 100 --concurrency 10 --json tour.json",
      "",
      "The status is not 0 if a check failed."
    })
public final class TourCommand implements Callable<Integer>, Connection.User {
  private final Context context;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the measurements to this file.")
  private @Nullable Path json;

  @Option(
      names = {"-t", "--template"},
      paramLabel = "NAME",
      defaultValue = "micro",
      description = "The template to start from (default: ${DEFAULT-VALUE}).")
  private String template = "micro";

  @Option(
      names = {"-n", "--clones"},
      paramLabel = "N",
      defaultValue = "10",
      description = "How many clones, 1 to 100 (default: ${DEFAULT-VALUE}).")
  private int clones = 10;

  @Option(
      names = {"-c", "--concurrency"},
      paramLabel = "N",
      defaultValue = "5",
      description = "How many start at the same time (default: ${DEFAULT-VALUE}).")
  private int concurrency = 5;

  TourCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (clones < 1 || clones > 100) {
      throw RametException.invalid("--clones", "must be 1 to 100");
    }
    if (concurrency < 1 || concurrency > 100) {
      throw RametException.invalid("--concurrency", "must be 1 to 100");
    }
    Client client = context.client();
    String run = Long.toHexString(ThreadLocalRandom.current().nextLong());
    TourResources traces = new TourResources(client, run);
    TourReport report = new TourReport();
    TourView view = new TourView(context);
    Tour tour = new Tour(client, traces, report, view, template, run);
    AtomicBoolean deleted = new AtomicBoolean();
    Thread interrupted =
        new Thread(
            () -> {
              tour.stop();
              if (deleted.compareAndSet(false, true)) {
                context.err().println("Deleting everything the tour made ...");
                traces.delete();
              }
            });
    Runtime.getRuntime().addShutdownHook(interrupted);
    try {
      tour.run(clones, concurrency);
    } catch (RuntimeException e) {
      report.check("the tour ended", false);
      throw e;
    } finally {
      if (!report.good() && deleted.compareAndSet(false, true)) {
        traces.delete();
      }
      deleted.set(true);
      write(report);
    }
    view.end(report.good());
    return report.good() ? 0 : ErrorCode.INTERNAL.exitStatus();
  }

  private void write(TourReport report) throws IOException {
    if (json != null) {
      Files.write(json, Json.bytes(report.json()));
    }
  }
}
