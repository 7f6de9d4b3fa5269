// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Ids;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.VmIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Validates the manifest of an export: that a snapshot can have it, and that it matches the
 * export's files.
 *
 * @param files the export's files
 * @param s the manifest
 */
record ManifestCheck(ExportFiles files, SnapshotRecord s) {
  private static final int MAX_PORT = 65_535;

  /** Refuses an invalid manifest. */
  void run() {
    require(s.id() != null && Ids.isId(s.id()), "id");
    require(s.kind() != null && !s.kind().hidden(), "kind");
    require(!s.deleted() && !s.pending(), "state");
    require(s.name() == null || isName(s.name()), "name");
    require(s.tags().keySet().stream().allMatch(ManifestCheck::isName), "tags");
    require(s.createdAt() != null, "createdAt");
    require(s.kernelArguments() != null, "kernelArguments");
    Integer port = s.agentPort();
    require(port == null || (port > 0 && port <= MAX_PORT), "agentPort");
    require(s.diskBytes() == files.requireProducedItem(ExportRecord.DISK).sizeBytes(), "diskBytes");
    boolean warm = s.warm();
    require(warm == files.produces(ExportRecord.MEMORY), "warm");
    require(warm != files.devices().isEmpty(), "warm");
    if (warm) {
      require(
          s.memoryBytes() == files.requireProducedItem(ExportRecord.MEMORY).sizeBytes(),
          "memoryBytes");
    }
    require(warm ? isIdentity(s.identity()) : s.identity() == null, "identity");
    require(isReport(s.capture()), "capture");
  }

  static boolean isName(String name) {
    try {
      return !name.equals(".") && !name.equals("..") && name.equals(Ids.checkName("name", name));
    } catch (RametException e) {
      return false;
    }
  }

  private static boolean isIdentity(@Nullable VmIdentity i) {
    return i != null && i.hypervisor() != null && i.version() != null;
  }

  private static boolean isReport(@Nullable CaptureReport c) {
    return c == null || (c.mode() != null && c.modeReason() != null && c.phaseNanos() != null);
  }

  private void require(boolean holds, String field) {
    if (!holds) {
      throw ExportFiles.invalid(
          files.path(ExportRecord.MANIFEST)
              + " does not match the other files of the export: its "
              + field
              + " differs");
    }
  }
}
