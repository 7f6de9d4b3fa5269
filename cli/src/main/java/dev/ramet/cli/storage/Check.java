// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.api.storage.StorageCheck;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.HumanFormat;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that checks the storage of a host. */
@Command(
    name = "check",
    description = {
      "Checks that everything recorded below the roots of a host exists and is intact.",
      "Also reports files that nothing needs and files that Ramet did not make. Changes"
          + " nothing without --repair."
    },
    exitCodeList = {"0:All is well, or was repaired.", "1:Findings remain."},
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet storage check",
      "  ramet storage check --repair    remove leftovers, recreate lost links",
      "  ramet storage check --offline   when the host does not start",
      "  ramet storage check --json | jq '.findings[] | select(.severity == \"error\")'",
      "",
      "The status is 0 if all is well, and 1 if a problem remains.",
      RootCommand.FOOTER,
      "It then mounts a pool that is not mounted, and leaves everything that machines may still",
      "use for the next start of a host."
    })
final class Check extends RootCommand {
  private static final int FINDINGS = 1;

  @Option(
      names = "--repair",
      description = {"Repair what can be repaired. Damaged and foreign files are never touched."})
  private boolean repair;

  Check(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    ClientResponse answer =
        context()
            .during(
                "Checking the storage",
                () ->
                    client.post(
                        "/storage/check", new StorageCheck.Request(repair ? Boolean.TRUE : null)));
    return report(answer.parse(StorageCheck.class), answer.body());
  }

  @Override
  int runOffline(Path dataRoot) {
    try (OfflineDataRoots roots = OfflineDataRoots.open(context(), dataRoot)) {
      StorageCheck found = context().during("Checking the storage", () -> roots.check(repair));
      return report(found, Json.bytes(found));
    }
  }

  @Override
  String action() {
    return "checking";
  }

  private int report(StorageCheck found, byte[] body) {
    String paths =
        String.join(
            System.lineSeparator(),
            found.findings().stream().map(StorageCheck.Finding::path).toList());
    if (!printed(body, paths)) {
      found.findings().forEach(finding -> print(context(), finding));
      context().out().println(summary(found));
    }
    return countUnrepaired(found.findings()) == 0 ? 0 : FINDINGS;
  }

  private static long countUnrepaired(List<StorageCheck.Finding> findings) {
    return findings.stream().filter(finding -> !finding.repair().equals("done")).count();
  }

  /** Prints a finding in two or three lines: place, problem, remedy. */
  static void print(Context context, StorageCheck.Finding finding) {
    PrintStream out = context.out();
    boolean done = finding.repair().equals("done");
    String head =
        done
            ? context.paint().success("repaired")
            : finding.severity().equals("error")
                ? context.paint().failure("error")
                : context.paint().warn("warning");
    out.println(head + ": " + finding.kind() + ": " + finding.path());
    out.println("  " + finding.what() + size(finding.bytes()));
    if (!done) {
      out.println("  " + finding.remedy());
    }
  }

  private static String size(long bytes) {
    return bytes == 0 ? "" : " (" + HumanFormat.size(bytes) + ")";
  }

  private static String summary(StorageCheck found) {
    long open = countUnrepaired(found.findings());
    long done = found.findings().size() - open;
    return String.format(
        java.util.Locale.ROOT,
        "%d snapshots and templates, %d sandboxes, %d images checked: %s%s",
        found.snapshots(),
        found.sandboxes(),
        found.nodes(),
        open == 0 ? "all is well" : open + (open == 1 ? " finding" : " findings"),
        done == 0 ? "" : ", " + done + " repaired");
  }
}
