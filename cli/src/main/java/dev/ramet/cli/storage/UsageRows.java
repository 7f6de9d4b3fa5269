// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.api.storage.StorageUsage;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.term.HumanFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Prints the space used by disks and memory images row by row as it arrives, and the sums at the
 * end.
 */
final class UsageRows implements Consumer<StorageUsage> {
  private final Context context;
  private final List<StorageUsage.Root> roots = new ArrayList<>();
  private boolean begun;

  UsageRows(Context context, boolean headings) {
    this.context = context;
    this.begun = !headings;
  }

  @Override
  public void accept(StorageUsage one) {
    printHeading();
    StorageUsage.Node node = one.node();
    if (node != null) {
      String name = node.ownerName();
      print(
          row(
              node.id(),
              HumanFormat.size(node.exclusiveBytes()),
              HumanFormat.size(node.referencedBytes()),
              HumanFormat.size(node.sizeBytes()),
              name == null ? "-" : name));
    }
    if (one.root() != null) {
      roots.add(one.root());
    }
  }

  /** Prints the heading only when there is data, because the first line may be an error. */
  private void printHeading() {
    if (!begun) {
      begun = true;
      print(context.paint().bold(row("IMAGE", "EXCLUSIVE", "REFERENCED", "SIZE", "OF")));
    }
  }

  /** Prints the sums, after all rows. */
  void printSums() {
    for (StorageUsage.Root root : roots) {
      print("");
      print(
          String.format(
              Locale.ROOT,
              "%s (%s): %d images, %s not shared; %s of %s used",
              root.path(),
              root.backend(),
              root.nodes(),
              HumanFormat.size(root.exclusiveBytes()),
              HumanFormat.size(root.usedBytes()),
              HumanFormat.size(root.totalBytes())));
    }
  }

  private void print(String line) {
    context.out().println(line);
  }

  /** Wide enough for Ramet's ids: rows are printed as they arrive. */
  private static String row(
      String id, String exclusive, String referenced, String size, String owner) {
    return String.format(
        Locale.ROOT, "%-32s  %10s  %10s  %10s  %s", id, exclusive, referenced, size, owner);
  }
}
