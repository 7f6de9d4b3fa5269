// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.storage;

import dev.ramet.api.storage.StorageCheck;
import dev.ramet.api.storage.StorageUsage;
import dev.ramet.engine.Storage;
import dev.ramet.spi.storage.StorageFinding;
import java.util.List;
import java.util.Locale;

/**
 * Converts the engine's storage reports to their wire form, for a running host and for offline
 * commands.
 */
public final class StorageViews {
  private StorageViews() {}

  public static StorageCheck of(Storage.Report report) {
    return new StorageCheck(
        report.findings().stream().map(StorageViews::of).toList(),
        bytes(report.findings()),
        report.snapshots(),
        report.sandboxes(),
        report.nodes());
  }

  static StorageCheck of(List<StorageFinding> found) {
    return new StorageCheck(
        found.stream().map(StorageViews::of).toList(), bytes(found), null, null, null);
  }

  private static long bytes(List<StorageFinding> findings) {
    return findings.stream().mapToLong(StorageFinding::bytes).sum();
  }

  private static StorageCheck.Finding of(StorageFinding f) {
    return new StorageCheck.Finding(
        f.kind() == StorageFinding.Kind.DAMAGE ? "error" : "warning",
        f.kind().name().toLowerCase(Locale.ROOT),
        f.path().toString(),
        f.what(),
        f.remedy(),
        f.mending().name().toLowerCase(Locale.ROOT),
        f.bytes());
  }

  public static StorageUsage.Node of(Storage.NodeUsage n) {
    return new StorageUsage.Node(
        n.root().toString(),
        n.id(),
        n.owner(),
        n.ownerName(),
        n.sizeBytes(),
        n.exclusiveBytes(),
        n.referencedBytes());
  }

  public static StorageUsage.Root of(Storage.RootUsage r) {
    return new StorageUsage.Root(
        r.root().toString(),
        r.backend(),
        r.nodes(),
        r.exclusiveBytes(),
        r.totalBytes() - r.freeBytes(),
        r.totalBytes());
  }
}
