// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.api.RametException;
import dev.ramet.engine.internal.Trees;
import dev.ramet.engine.store.Entry;
import dev.ramet.engine.store.Json;
import dev.ramet.engine.store.Layout;
import dev.ramet.engine.store.Manifests;
import dev.ramet.engine.store.SandboxRecord;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Looks through the sandboxes of a running engine. One that an operation is changing is left to it.
 * Used by one thread.
 */
final class SandboxCheck {
  private final Context context;
  private final Findings findings;

  SandboxCheck(Context context, Findings findings) {
    this.context = context;
    this.findings = findings;
  }

  /** Does it; answers how many were looked at. */
  int run() throws IOException {
    int count = 0;
    for (Entry entry : Entry.sandboxes(context.layout())) {
      switch (entry.kind()) {
        case FOREIGN -> findings.foreign(entry.path(), "not a sandbox");
        case UNFINISHED -> {
          if (!Check.isYoung(entry.path()) && live(entry.id()).isEmpty()) {
            findings.leftover(
                entry.path(),
                "a sandbox that was half made or half deleted",
                Findings.bytesOf(entry.path()),
                () -> Trees.delete(entry.path()));
          }
        }
        case OWN -> {
          own(entry);
          count++;
        }
      }
    }
    for (LiveSandbox live : context.sandboxes().all()) {
      Path directory = context.layout().sandbox(live.id());
      if (!Files.exists(directory) && live(live.id()).isPresent()) {
        findings.damage(directory, "the directory of sandbox " + live.id() + " is gone");
      }
    }
    return count;
  }

  private Optional<LiveSandbox> live(String id) {
    return context.sandboxes().all().stream().filter(live -> live.id().equals(id)).findFirst();
  }

  private void own(Entry entry) throws IOException {
    Optional<LiveSandbox> known = live(entry.id());
    if (known.isEmpty()) {
      if (!Check.isYoung(entry.path())) {
        unknown(entry);
      }
      return;
    }
    // Held only when something seems wrong: nobody is to be refused because somebody looks.
    Findings first = new Findings(Findings.Mode.LOOK);
    new SandboxCheck(context, first).files(known.get().saved(), entry.path());
    if (first.all().isEmpty()) {
      return;
    }
    try (LiveSandbox.Hold hold = known.get().hold("check")) {
      if (live(entry.id()).isPresent()) {
        files(known.get().saved(), entry.path());
      }
    } catch (RametException busy) {
      // Whoever changes it now puts it in order, or the next check finds what that left.
    }
  }

  private void unknown(Entry entry) {
    try {
      Manifests.sandbox(entry.path());
      findings.foreign(entry.path(), "a sandbox that came here while the host was running");
    } catch (IOException e) {
      findings.damage(entry.path(), "a sandbox whose manifest cannot be read: " + e.getMessage());
    }
  }

  private void files(SandboxRecord record, Path directory) throws IOException {
    try {
      Manifests.sandbox(directory);
    } catch (IOException e) {
      findings.damage(directory, "a sandbox whose manifest cannot be read: " + e.getMessage());
    }
    Path current = context.layout().machine(record.id(), record.machine().number());
    boolean paused = record.state() == SandboxRecord.State.PAUSED;
    for (Path path : Trees.children(directory)) {
      String name = String.valueOf(path.getFileName());
      boolean machine =
          Layout.isMachine(name) && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
      if (name.equals(Json.unfinished(Layout.MANIFEST))) {
        Check.temporary(findings, path);
      } else if (machine && (paused || !path.equals(current))) {
        findings.leftover(
            path,
            "a machine that sandbox " + record.id() + " has no more",
            Findings.bytesOf(path),
            () -> {
              context.hypervisor().reap(path);
              Trees.delete(path);
            });
      } else if (!machine && !name.equals(Layout.MANIFEST)) {
        findings.foreign(path, "not part of a sandbox");
      }
    }
    int number = record.machine().number();
    for (int other = Math.max(0, number - 1); other <= number + 1; other++) {
      if (paused || other != number) {
        formerDisk(directory, Layout.machineDisk(record.id(), other));
      }
    }
    base(record, directory, paused);
    if (!paused) {
      machine(record, directory, current);
    }
  }

  /** A rollback or pause that could not clear away what it replaced has left this. */
  private void formerDisk(Path directory, NodeId id) {
    if (context.storage().find(id).isPresent()) {
      findings.leftover(
          directory,
          "the disk of a machine that is no more: " + id,
          Check.exclusiveBytes(context.storage(), id),
          () -> context.storage().delete(id));
    }
  }

  private void base(SandboxRecord record, Path directory, boolean paused) {
    String base = record.machine().memoryBase();
    if (base == null) {
      return;
    }
    if (context.snapshots().find(base).isEmpty()) {
      findings.damage(
          directory,
          paused
              ? "what sandbox " + record.id() + " was paused as is gone: " + base
              : "the snapshot that sandbox " + record.id() + " was restored from is gone: " + base);
    }
  }

  private void machine(SandboxRecord record, Path directory, Path current) {
    var id = Layout.machineDisk(record.id(), record.machine().number());
    Node disk = context.storage().find(id).orElse(null);
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
    kernel(record, current, Layout.kernel(current));
    if (record.machine().hasInitrd()) {
      kernel(record, current, Layout.initrd(current));
    }
  }

  /** A machine's kernel is a link to that of the snapshot which it was restored from. */
  private void kernel(SandboxRecord record, Path current, Path file) {
    if (Check.isFile(file)) {
      return;
    }
    String what = "the " + file.getFileName() + " of sandbox " + record.id() + " is gone";
    String base = record.machine().memoryBase();
    Path source = base == null ? null : context.layout().snapshot(base).resolve(file.getFileName());
    if (source == null || !Check.isFile(source) || Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      findings.damage(file, what);
    } else {
      findings.derivable(
          file,
          what,
          () -> {
            Files.createDirectories(current);
            Files.createLink(file, source);
          });
    }
  }
}
