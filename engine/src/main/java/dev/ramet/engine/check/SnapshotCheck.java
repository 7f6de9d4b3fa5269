// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.Manifests;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.state.StateEntry;
import dev.ramet.engine.workingset.WorkingSetFile;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks the snapshots and templates of the roots. Used by one thread. */
final class SnapshotCheck {
  private static final Set<String> CONTENT =
      Set.of(Layout.MANIFEST, "kernel", "initrd", "devices", WorkingSetFile.NAME);

  private static final Set<String> UNFINISHED_CONTENT =
      Set.of(JsonFile.unfinished(Layout.MANIFEST), JsonFile.unfinished(WorkingSetFile.NAME));

  private final RootContents holdings;
  private final SnapshotReclaimer reclaimer;
  private final FindingCollector findings;
  private final Map<String, SnapshotRecord> names = new HashMap<>();

  SnapshotCheck(RootContents holdings, SnapshotReclaimer reclaimer, FindingCollector findings) {
    this.holdings = holdings;
    this.reclaimer = reclaimer;
    this.findings = findings;
  }

  /** Runs the check. Returns the number of snapshots checked. */
  int run() throws IOException {
    int count = 0;
    for (StateEntry entry : StateEntry.snapshots(holdings.layout())) {
      switch (entry.kind()) {
        case FOREIGN -> findings.foreign(entry.path(), "not a snapshot");
        case UNFINISHED -> checkUnfinished(entry);
        case OWN -> {
          checkKnown(entry);
          count++;
        }
      }
    }
    for (SnapshotRecord record : holdings.snapshots().all()) {
      Path directory = holdings.layout().snapshot(record.id());
      if (!Files.exists(directory) && holdings.snapshots().find(record.id()).isPresent()) {
        findings.damage(directory, "the directory of " + name(record) + " is gone");
      }
    }
    return count;
  }

  private void checkUnfinished(StateEntry entry) {
    boolean partial = !entry.path().getFileName().toString().startsWith(Layout.DELETED_PREFIX);
    if (partial ? holdings.snapshots().underWay(entry.id()) : findings.isYoung(entry.path())) {
      return;
    }
    if (!Files.exists(entry.path())) {
      // It has been published since the directory was listed.
      return;
    }
    findings.leftover(
        entry.path(),
        partial ? "a snapshot that was not finished" : "a snapshot that was half deleted",
        FindingCollector.bytesOf(entry.path()),
        () -> FileTrees.delete(entry.path()));
  }

  private void checkKnown(StateEntry entry) {
    Optional<SnapshotRecord> known = holdings.snapshots().find(entry.id());
    SnapshotRecord record;
    try {
      record = Manifests.snapshot(entry.path());
    } catch (IOException e) {
      if (Files.exists(entry.path()) && !findings.isYoung(entry.path())) {
        findings.damage(
            entry.path(), "a snapshot whose manifest cannot be read: " + e.getMessage());
      }
      return;
    }
    if (known.isEmpty()) {
      // It is being published or deleted at this moment.
      if (holdings.snapshots().find(entry.id()).isEmpty() && !findings.isYoung(entry.path())) {
        findings.foreign(entry.path(), "a snapshot that came here while the host was running");
      }
      return;
    }
    if (record.deleted()) {
      deleted(record, entry.path());
      return;
    }
    if (holdings.atRest() && record.pending()) {
      findings.atStart(entry.path(), "what clones that were not all made were to start from");
      return;
    }
    try (SnapshotReclaimer.Pin pin = reclaimer.pin(record)) {
      // Check again now that it is pinned: it may have been withdrawn since its manifest was read.
      if (holdings.snapshots().find(record.id()).filter(now -> !now.deleted()).isPresent()) {
        checkFiles(pin.record(), entry.path());
      }
    } catch (IOException e) {
      findings.damage(entry.path(), "cannot be looked through: " + e.getMessage());
    }
  }

  /**
   * Checks a deleted snapshot. It waits for everything that depends on it; without any it should be
   * gone, so its removal failed.
   */
  private void deleted(SnapshotRecord record, Path directory) {
    if (!reclaimer.isNeeded(record.id())) {
      findings.leftover(
          directory,
          "a deleted snapshot that nothing rests on",
          FindingCollector.bytesOf(directory)
              + CheckRun.exclusiveBytes(holdings.storage(), Layout.snapshotDisk(record.id()))
              + CheckRun.exclusiveBytes(holdings.storage(), Layout.snapshotMemory(record.id())),
          () -> {
            reclaimer.reclaim(record.id());
            if (holdings.snapshots().find(record.id()).isPresent()) {
              throw new IOException("the log says why");
            }
          });
    }
  }

  private void checkFiles(SnapshotRecord record, Path directory) throws IOException {
    checkImage(record, Layout.snapshotDisk(record.id()), record.diskBytes(), "disk");
    if (record.warm()) {
      checkImage(record, Layout.snapshotMemory(record.id()), record.memoryBytes(), "memory image");
      checkDevices(record, directory);
    }
    if (!CheckRun.isFile(Layout.kernel(directory))) {
      findings.damage(Layout.kernel(directory), "the kernel of " + name(record) + " is gone");
    }
    for (Path path : FileTrees.children(directory)) {
      String name = String.valueOf(path.getFileName());
      if (path.equals(Layout.lostWrites(directory))) {
        findings.damage(directory, name(record) + " has lost what was written to its memory image");
      } else if (UNFINISHED_CONTENT.contains(name)) {
        findings.temporary(path);
      } else if (!CONTENT.contains(name)) {
        findings.foreign(path, "not part of a snapshot");
      }
    }
    String name = record.name();
    if (name != null && SnapshotStore.visible(record)) {
      SnapshotRecord other = names.putIfAbsent(name, record);
      if (other != null && other.kind() != record.kind()) {
        findings.damage(directory, "its name, " + name + ", is also that of " + other.id());
      }
    }
  }

  private void checkImage(SnapshotRecord record, NodeId id, long sizeBytes, String what) {
    Path directory = holdings.layout().snapshot(record.id());
    Node node = holdings.storage().find(id).orElse(null);
    if (node == null) {
      findings.damage(directory, "the " + what + " of " + name(record) + " is gone: " + id);
    } else if (node.kind() != Node.Kind.SNAPSHOT) {
      findings.damage(directory, "the " + what + " of " + name(record) + " is not immutable");
    } else if (node.sizeBytes() != sizeBytes) {
      findings.damage(
          directory,
          "the "
              + what
              + " of "
              + name(record)
              + " has "
              + node.sizeBytes()
              + " bytes, not "
              + sizeBytes);
    }
  }

  private void checkDevices(SnapshotRecord record, Path directory) throws IOException {
    Path devices = Layout.devices(directory);
    boolean whole = Files.isDirectory(devices) && !FileTrees.children(devices).isEmpty();
    for (Path file : whole ? FileTrees.children(devices) : java.util.List.<Path>of()) {
      whole &= CheckRun.isFile(file);
    }
    if (!whole) {
      findings.damage(devices, "the device state of " + name(record) + " is gone or empty");
    }
  }

  private static String name(SnapshotRecord record) {
    String kind = record.kind() == SnapshotRecord.Kind.TEMPLATE ? "template " : "snapshot ";
    return kind + (record.name() == null ? record.id() : record.name());
  }
}
