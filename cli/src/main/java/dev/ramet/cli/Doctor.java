// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.api.DoctorInfo;
import dev.ramet.api.ErrorCode;
import dev.ramet.cli.http.Answer;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.term.Human;
import dev.ramet.cli.term.Paint;
import dev.ramet.cli.term.Table;
import java.io.PrintStream;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what the host can do. */
@Command(
    name = "doctor",
    description = "Shows what the host can do, what was chosen and why, and what would help.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet doctor",
      "  ramet doctor --refresh          probe again, after the host was changed",
      "  ramet doctor --json | jq -r .verdict",
      "",
      "Ends with status 5 when sandboxes cannot run here."
    })
final class Doctor extends ApiCommand {
  @Option(names = "--refresh", description = "Probe again instead of showing earlier results.")
  private boolean refresh;

  Doctor(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Answer answer =
        context()
            .during(
                "Examining the host",
                () -> client.get("/doctor" + (refresh ? "?refresh=true" : "")));
    DoctorInfo info = answer.as(DoctorInfo.class);
    if (json()) {
      context().json(answer.body());
    } else {
      print(info);
    }
    return info.verdict().equals("BROKEN") ? ErrorCode.HOST_UNFIT.exitStatus() : 0;
  }

  private void print(DoctorInfo info) {
    Paint paint = context().paint();
    PrintStream out = context().out();
    out.println(paint.bold("Verdict: ") + verdict(paint, info.verdict()));
    if (!info.host().isEmpty()) {
      heading("Host");
      Table host = Table.pairs(paint);
      new TreeMap<>(info.host()).forEach((name, value) -> host.row(name, fact(name, value)));
      context().print(host);
    }
    if (!info.selections().isEmpty()) {
      heading("Chosen");
      Table chosen = new Table(paint, "FOR", "PLUGIN", "WHERE", "WHY");
      for (DoctorInfo.Selection s : info.selections()) {
        chosen.row(s.role(), s.chosen() == null ? "none" : s.chosen(), s.where(), s.reason());
      }
      context().print(chosen);
    }
    if (!info.plugins().isEmpty()) {
      heading("Plugins");
      Table plugins = new Table(paint, "KIND", "PLUGIN", "STATE", "WHAT IT CAN, OR WHY NOT");
      for (DoctorInfo.Plugin p : info.plugins()) {
        plugins.row(p.role(), p.id(), p.outcome(), about(p));
      }
      context().print(plugins);
    }
    if (!info.advice().isEmpty()) {
      heading("Advice");
      info.advice().forEach(a -> out.println("- " + a));
    }
  }

  private void heading(String text) {
    context().out().println();
    context().out().println(context().paint().bold(text));
  }

  private static String verdict(Paint paint, String verdict) {
    return switch (verdict) {
      case "GOOD" -> paint.good(verdict) + ": everything works as fast as it can";
      case "DEGRADED" ->
          paint.warn(verdict) + ": everything works, some of it slower than it could";
      case "BROKEN" -> paint.bad(verdict) + ": sandboxes cannot run";
      default -> verdict;
    };
  }

  private static String fact(String name, String value) {
    if (name.endsWith("Bytes")) {
      try {
        return Human.size(Long.parseLong(value));
      } catch (NumberFormatException e) {
        return value;
      }
    }
    return value;
  }

  private static String about(DoctorInfo.Plugin p) {
    if (p.outcome().equals("usable")) {
      return String.join(", ", p.capabilities());
    }
    return p.remedy() == null ? p.reason() : p.reason() + "; " + p.remedy();
  }
}
