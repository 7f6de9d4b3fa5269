// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tour;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.TextStyle;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Prints the tour's progress for people. Not thread-safe. */
final class TourView {
  private static final int TITLE = 58;

  private final Context context;
  private final PrintStream out;
  private final TextStyle paint;
  private int number;

  TourView(Context context) {
    this.context = context;
    this.out = context.out();
    this.paint = context.paint();
  }

  void host(JsonNode doctor) {
    out.println(paint.bold("A tour of Ramet on this host"));
    out.println();
    StringBuilder chosen = new StringBuilder();
    for (JsonNode s : doctor.path("selections")) {
      chosen
          .append(chosen.isEmpty() ? "" : ", ")
          .append(s.path("role").asText())
          .append(' ')
          .append(s.path("chosen").asText("none"));
    }
    out.println("   Verdict " + doctor.path("verdict").asText() + ": " + chosen);
    for (JsonNode advice : doctor.path("advice")) {
      out.println(paint.dim("   - " + advice.asText()));
    }
    out.println();
  }

  <T> T during(String title, Supplier<T> work) {
    return context.during(title, work);
  }

  void step(String title, double ms, String detail) {
    number++;
    out.println(
        String.format(
            Locale.ROOT, "%2d. %-" + TITLE + "s %9s", number, title, HumanFormat.millis(ms)));
    if (!detail.isEmpty()) {
      out.println(paint.dim("    " + detail));
    }
  }

  void note(String text) {
    out.println(paint.dim("    " + text));
  }

  void check(String name, boolean ok) {
    out.println("    " + (ok ? paint.success("ok    ") : paint.failure("WRONG ")) + name);
  }

  void disk(@Nullable Long before, @Nullable Long during, @Nullable Long after) {
    if (before != null && during != null && after != null) {
      out.println();
      out.println(
          "   Disk use: %s before, %s with every clone running, %s after"
              .formatted(
                  HumanFormat.size(before), HumanFormat.size(during), HumanFormat.size(after)));
    }
  }

  void end(boolean good) {
    out.println();
    out.println(
        good
            ? paint.success("   All checks passed.")
            : paint.failure("   Some checks failed: see WRONG above."));
  }
}
