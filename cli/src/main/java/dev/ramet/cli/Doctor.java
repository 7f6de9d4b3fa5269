// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.api.host.DoctorInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Table;
import dev.ramet.cli.term.TextStyle;
import java.io.PrintStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that shows what the host can do. */
@Command(
    name = "doctor",
    description =
        "Shows what this host can do, which plugins were selected and why, and how to improve"
            + " it.",
    exitCodeList = {
      "0:Sandboxes can run.",
      "1:With --strict, the host is degraded; otherwise a defect of Ramet.",
      "2:The host is broken, so that no sandbox can run, or the command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet doctor",
      "  ramet doctor --refresh          probe again, after the host was changed",
      "  ramet doctor --json | jq -r .verdict",
      "",
      "The status is 0 if sandboxes can run, and 2 if the host is broken, so that they cannot.",
      "With --strict it is 1 if the host is degraded. If no host answers, the status is 6."
    })
final class Doctor extends ViewCommand {
  private static final String REFUSED = "refused";
  private static final String BUILT_IN = "built-in";

  @Option(names = "--refresh", description = "Probe again instead of showing earlier results.")
  private boolean refresh;

  @Option(names = "--strict", description = "End with status 1 if the host is degraded.")
  private boolean strict;

  Doctor(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    ClientResponse answer =
        context()
            .during(
                "Examining the host",
                () -> client.get("/doctor" + (refresh ? "?refresh=true" : "")));
    DoctorInfo info = answer.parse(DoctorInfo.class);
    if (!printed(answer.body(), info.verdict())) {
      print(info);
    }
    return switch (info.verdict()) {
      case "GOOD" -> 0;
      case "DEGRADED" -> degraded();
      default -> 2;
    };
  }

  /** Scripts that read the status for it get a notice for one version. */
  private int degraded() {
    if (!strict) {
      context().notice("degraded, status 0; with --strict the status is 1, as it was before");
    }
    return strict ? 1 : 0;
  }

  private void print(DoctorInfo info) {
    TextStyle paint = context().paint();
    PrintStream out = context().out();
    out.println(paint.bold("Host: ") + context().describeTarget());
    out.println(paint.bold("Verdict: ") + verdict(paint, info.verdict()));
    if (!info.host().isEmpty()) {
      printHeading("Host");
      Table host = Table.keyValue(paint);
      new TreeMap<>(info.host()).forEach((name, value) -> host.row(name, formatFact(name, value)));
      context().print(host);
    }
    if (!info.selections().isEmpty()) {
      printHeading("Chosen");
      Table chosen = new Table(paint, "FOR", "PLUGIN", "WHERE", "WHY");
      for (DoctorInfo.Selection s : info.selections()) {
        chosen.row(s.role(), s.chosen() == null ? "none" : s.chosen(), s.where(), s.reason());
      }
      context().print(chosen);
    }
    if (!info.plugins().isEmpty()) {
      printHeading("Plugins");
      Table plugins =
          new Table(paint, "KIND", "PLUGIN", "VERSION", "FROM", "STATE", "WHAT IT CAN, OR WHY NOT");
      for (DoctorInfo.Plugin p : info.plugins()) {
        if (!p.outcome().equals(REFUSED)) {
          plugins.row(p.role(), p.id(), p.version(), p.plugin(), p.outcome(), describe(p));
        }
      }
      context().print(plugins);
      folders(paint, info.plugins());
      printRefused(paint, info.plugins());
    }
    if (!info.advice().isEmpty()) {
      printHeading("Advice");
      info.advice().forEach(a -> out.println("- " + a));
    }
  }

  /** Prints the third-party plugins: jars, modules and permissions. */
  private void folders(TextStyle paint, List<DoctorInfo.Plugin> plugins) {
    Table table = new Table(paint, "FOLDER", "JAR", "MODULE", "VERSION", "NATIVE ACCESS");
    Set<List<String>> rows = new LinkedHashSet<>();
    for (DoctorInfo.Plugin p : plugins) {
      if (!p.outcome().equals(REFUSED) && !p.plugin().equals(BUILT_IN)) {
        rows.add(List.of(p.plugin(), p.jar(), p.module(), p.version(), p.nativeAccess()));
      }
    }
    if (!rows.isEmpty()) {
      printHeading("Installed plugins");
      rows.forEach(row -> table.row(row.toArray(new String[0])));
      context().print(table);
    }
  }

  private void printRefused(TextStyle paint, List<DoctorInfo.Plugin> plugins) {
    Table table = new Table(paint, "FOLDER", "JAR", "MODULE", "WHY, AND WHAT TO DO");
    boolean any = false;
    for (DoctorInfo.Plugin p : plugins) {
      if (p.outcome().equals(REFUSED)) {
        table.row(p.plugin(), p.jar(), p.module(), describe(p));
        any = true;
      }
    }
    if (any) {
      printHeading("Refused plugins");
      context().print(table);
    }
  }

  private void printHeading(String text) {
    context().out().println();
    context().out().println(context().paint().bold(text));
  }

  private static String verdict(TextStyle paint, String verdict) {
    return switch (verdict) {
      case "GOOD" -> paint.success(verdict) + ": everything works at full speed";
      case "DEGRADED" ->
          paint.warn(verdict)
              + ": degraded: everything works, but some of it is slower than it could be";
      case "BROKEN" -> paint.failure(verdict) + ": sandboxes cannot run";
      default -> verdict;
    };
  }

  private static String formatFact(String name, String value) {
    if (name.endsWith("Bytes")) {
      try {
        return HumanFormat.size(Long.parseLong(value));
      } catch (NumberFormatException e) {
        return value;
      }
    }
    return value;
  }

  private static String describe(DoctorInfo.Plugin p) {
    if (p.outcome().equals("usable")) {
      return String.join(", ", p.capabilities());
    }
    return p.remedy() == null ? p.reason() : p.reason() + "; " + p.remedy();
  }
}
