// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.Manifests;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.StateEntry;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Checks the sandboxes of the roots. Skips a sandbox that an operation is changing. Used by one
 * thread.
 */
final class SandboxCheck {
  private final RootContents holdings;
  private final FindingCollector findings;

  SandboxCheck(RootContents holdings, FindingCollector findings) {
    this.holdings = holdings;
    this.findings = findings;
  }

  /** Runs the check. Returns the number of sandboxes checked. */
  int run() throws IOException {
    int count = 0;
    for (StateEntry entry : StateEntry.sandboxes(holdings.layout())) {
      switch (entry.kind()) {
        case FOREIGN -> findings.foreign(entry.path(), "not a sandbox");
        case UNFINISHED -> {
          if (!findings.isYoung(entry.path()) && findSandbox(entry.id()).isEmpty()) {
            findings.leftover(
                entry.path(),
                "a sandbox whose creation or deletion did not finish",
                FindingCollector.bytesOf(entry.path()),
                () -> FileTrees.delete(entry.path()));
          }
        }
        case OWN -> {
          checkKnown(entry);
          count++;
        }
      }
    }
    for (LiveSandbox live : holdings.sandboxes().all()) {
      Path directory = holdings.layout().sandbox(live.id());
      if (!Files.exists(directory) && findSandbox(live.id()).isPresent()) {
        findings.damage(directory, "the directory of sandbox " + live.id() + " is gone");
      }
    }
    return count;
  }

  private Optional<LiveSandbox> findSandbox(String id) {
    return holdings.sandboxes().all().stream().filter(live -> live.id().equals(id)).findFirst();
  }

  private void checkKnown(StateEntry entry) throws IOException {
    Optional<LiveSandbox> known = findSandbox(entry.id());
    if (known.isEmpty()) {
      if (!findings.isYoung(entry.path())) {
        checkUnknown(entry);
      }
      return;
    }
    if (holdings.atRest()
        && SandboxStore.isUnacknowledged(known.get().saved(), holdings.snapshots())) {
      findings.atStart(entry.path(), "a sandbox that nobody was told of, or that was to go");
      return;
    }
    // Hold the sandbox only if something seems wrong: a check must not make other operations fail.
    FindingCollector first = findings.withoutRepair();
    new SandboxCheck(holdings, first).checkFiles(known.get().saved(), entry.path());
    if (first.all().isEmpty()) {
      return;
    }
    try (LiveSandbox.Hold hold = known.get().acquire("check")) {
      if (findSandbox(entry.id()).isPresent()) {
        checkFiles(known.get().saved(), entry.path());
      }
    } catch (RametException busy) {
      // The operation that holds it may fix this; otherwise the next check reports it.
    }
  }

  private void checkUnknown(StateEntry entry) {
    try {
      Manifests.sandbox(entry.path());
      findings.foreign(entry.path(), "a sandbox that came here while the host was running");
    } catch (IOException e) {
      findings.damage(entry.path(), "a sandbox whose manifest cannot be read: " + e.getMessage());
    }
  }

  private void checkFiles(SandboxRecord record, Path directory) throws IOException {
    try {
      Manifests.sandbox(directory);
    } catch (IOException e) {
      findings.damage(directory, "a sandbox whose manifest cannot be read: " + e.getMessage());
    }
    Path current = holdings.layout().machine(record.id(), record.machine().number());
    boolean paused = record.state() == SandboxRecord.State.PAUSED;
    for (Path path : FileTrees.children(directory)) {
      String name = String.valueOf(path.getFileName());
      boolean machine =
          Layout.isMachine(name) && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
      if (name.equals(JsonFile.unfinished(Layout.MANIFEST))) {
        findings.temporary(path);
      } else if (machine && (paused || !path.equals(current))) {
        findings.machines(
            path,
            "a machine that sandbox " + record.id() + " has no more",
            () -> {
              holdings.hypervisor().reap(path);
              FileTrees.delete(path);
            });
      } else if (!machine && !name.equals(Layout.MANIFEST)) {
        findings.foreign(path, "not part of a sandbox");
      }
    }
    int number = record.machine().number();
    for (int other = Math.max(0, number - 1); other <= number + 1; other++) {
      if (paused || other != number) {
        checkFormerDisk(record, directory, other);
      }
    }
    checkBase(record, directory, paused);
    if (!paused) {
      checkMachine(record, directory, current);
    }
  }

  /**
   * Checks for the disk of a former machine, left by a rollback or pause that could not remove it.
   */
  private void checkFormerDisk(SandboxRecord record, Path directory, int number) {
    NodeId id = Layout.machineDisk(record.id(), number);
    if (holdings.storage().find(id).isEmpty()) {
      return;
    }
    if (holdings.atRest() && Files.exists(holdings.layout().machine(record.id(), number))) {
      findings.atStart(directory, "the disk of a machine that is no more: " + id);
    } else {
      findings.leftover(
          directory,
          "the disk of a machine that is no more: " + id,
          CheckRun.exclusiveBytes(holdings.storage(), id),
          () -> holdings.storage().delete(id));
    }
  }

  private void checkBase(SandboxRecord record, Path directory, boolean paused) {
    String base = record.machine().memoryBase();
    if (base == null) {
      return;
    }
    if (holdings.snapshots().find(base).isEmpty()) {
      findings.damage(
          directory,
          paused
              ? "what sandbox " + record.id() + " was paused as is gone: " + base
              : "the snapshot that sandbox " + record.id() + " was restored from is gone: " + base);
    }
  }

  private void checkMachine(SandboxRecord record, Path directory, Path current) {
    var id = Layout.machineDisk(record.id(), record.machine().number());
    Node disk = holdings.storage().find(id).orElse(null);
    if (disk == null) {
      findings.damage(directory, "the disk of sandbox " + record.id() + " is gone: " + id);
    } else if (disk.sizeBytes() != record.diskBytes()) {
      findings.damage(
          directory,
          "the disk of sandbox "
              + record.id()
              + " has "
              + disk.sizeBytes()
              + " bytes, not "
              + record.diskBytes());
    }
    checkKernel(record, current, Layout.kernel(current));
    if (record.machine().hasInitrd()) {
      checkKernel(record, current, Layout.initrd(current));
    }
  }

  /**
   * Checks a machine's kernel file, which is a link to that of the snapshot it was restored from.
   */
  private void checkKernel(SandboxRecord record, Path current, Path file) {
    if (CheckRun.isFile(file)) {
      return;
    }
    String what = "the " + file.getFileName() + " of sandbox " + record.id() + " is gone";
    String base = record.machine().memoryBase();
    Path source =
        base == null ? null : holdings.layout().snapshot(base).resolve(file.getFileName());
    if (source == null
        || !CheckRun.isFile(source)
        || Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      findings.damage(file, what);
    } else {
      findings.recreatable(
          file,
          what,
          () -> {
            Files.createDirectories(current);
            Files.createLink(file, source);
          });
    }
  }
}
