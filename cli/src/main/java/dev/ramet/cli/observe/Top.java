// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.observe;

import dev.ramet.agent.TerminalSize;
import dev.ramet.api.sandbox.SandboxStats;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.TextStyle;
import dev.ramet.cli.tty.AtEnd;
import dev.ramet.cli.tty.LocalTerminal;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that shows which resources sandboxes use, again and again. */
@Command(
    name = "top",
    description = {
      "Shows what sandboxes use of the host: CPU (100%% is one CPU), memory of their own and shared"
          + " with others, disk and network.",
      "On a terminal the table is redrawn until q or Ctrl-C. Otherwise tables follow one another."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet top",
      "  ramet top ID --sort memory",
      "  ramet top --once        # one table, for scripts"
    })
public final class Top extends ApiCommand {
  private static final String ENTER = "\u001b[?1049h\u001b[?25l"; // another screen, no cursor
  private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
  private static final String HOME = "\u001b[H";
  private static final String LINE_END = "\u001b[K\r\n";
  private static final String CLEAR_BELOW = "\u001b[J";
  private static final int CTRL_C = 3;

  /** How long a single table measures rates. */
  private static final int ONCE_SECONDS = 1;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "ID",
      description = "Only this sandbox; all of the host unless given.")
  private @Nullable String id;

  @Option(names = "--once", description = "Measure once, print one table and exit.")
  private boolean once;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "Seconds between two measurements (default: ${DEFAULT-VALUE}).")
  private int intervalSeconds;

  @Option(
      names = "--sort",
      paramLabel = "COLUMN",
      defaultValue = "cpu",
      description = "The first is the largest: ${COMPLETION-CANDIDATES} (default: cpu).")
  private TopTable.Order order = TopTable.Order.cpu;

  private final CountDownLatch left = new CountDownLatch(1);

  Top(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) throws InterruptedException {
    if (intervalSeconds < 1) {
      throw RametException.invalid("--interval", "must be at least 1: " + intervalSeconds);
    }
    if (json()) {
      do {
        context().json(measure(client).body());
      } while (!once && !left.await(intervalSeconds, TimeUnit.SECONDS));
      return 0;
    }
    TopTable table = new TopTable(order);
    if (once) {
      lines(client, table); // the start of the rates
      left.await(ONCE_SECONDS, TimeUnit.SECONDS);
      lines(client, table).forEach(context().out()::println);
    } else if (context().terminal().output()) {
      draw(client, table);
    } else {
      do {
        lines(client, table).forEach(context().out()::println);
        context().out().println();
      } while (!context().out().checkError() && !left.await(intervalSeconds, TimeUnit.SECONDS));
    }
    return 0;
  }

  private ClientResponse measure(Client client) {
    String path = "/sandboxes/stats";
    return client.get(id == null ? path : path + "?sandboxID=" + Client.encode(id));
  }

  private List<String> lines(Client client, TopTable table) {
    TextStyle style = once || !context().terminal().output() ? context().paint() : TextStyle.PLAIN;
    return table.lines(measure(client).parse(SandboxStats[].class), style);
  }

  private void draw(Client client, TopTable table) throws InterruptedException {
    List<String> first = lines(client, table); // an error is shown on the usual screen
    try (AtEnd restore = new AtEnd(() -> show(LEAVE));
        LocalTerminal keys = LocalTerminal.isInput() ? LocalTerminal.raw() : null) {
      if (keys != null) {
        Thread reader = new Thread(this::readKeys, "keys");
        reader.setDaemon(true);
        reader.start();
      }
      show(ENTER);
      drawFrame(first);
      while (!left.await(intervalSeconds, TimeUnit.SECONDS)) {
        drawFrame(lines(client, table));
      }
    } finally {
      show(LEAVE);
    }
  }

  private void drawFrame(List<String> lines) {
    TerminalSize size = LocalTerminal.isInput() ? LocalTerminal.size() : TerminalSize.USUAL;
    StringBuilder frame = new StringBuilder(HOME);
    String title =
        (lines.size() - 1) + " sandboxes on " + context().describeTarget() + ", q to leave";
    frame.append(cut(title, size.columns())).append(LINE_END);
    // The last line stays empty, because a line end there would scroll.
    for (int at = 0; at < Math.min(lines.size(), size.rows() - 2); at++) {
      String line = cut(lines.get(at), size.columns());
      frame.append(at == 0 ? context().paint().bold(line) : line).append(LINE_END);
    }
    show(frame + CLEAR_BELOW);
  }

  private static String cut(String line, int columns) {
    return line.length() <= columns ? line : line.substring(0, columns);
  }

  private void readKeys() {
    InputStream in = context().in();
    try {
      for (int key = in.read(); key >= 0; key = in.read()) {
        if (key == 'q' || key == CTRL_C) {
          break;
        }
      }
    } catch (IOException e) {
      // The terminal is gone.
    }
    left.countDown();
  }

  private void show(String text) {
    context().out().print(text);
    context().out().flush();
  }
}
