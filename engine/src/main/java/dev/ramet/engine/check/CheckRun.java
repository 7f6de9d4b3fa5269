// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.certificates.GuestAuthority;
import dev.ramet.engine.Storage;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.root.RootRecord;
import dev.ramet.engine.root.SecretFile;
import dev.ramet.engine.selection.ProbeLeftovers;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.support.Ids;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageInspection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One check of the roots, of a running engine or offline: looks for leftovers, damage and foreign
 * files. Used by one thread.
 */
final class CheckRun {
  /** Far longer than any probe takes. */
  private static final Duration PROBE = Duration.ofMinutes(10);

  private static final int PAGE = 1024;

  private static final Set<String> OWN =
      Set.of(
          ".lock", "root.json", "snapshots", "sandboxes", "shared-volumes", "builds", "lost+found");

  private final RootContents holdings;
  private final List<OpenRoot> places;
  private final SnapshotReclaimer reclaimer;
  private final FindingCollector findings;

  CheckRun(
      RootContents holdings,
      List<OpenRoot> places,
      SnapshotReclaimer reclaimer,
      FindingCollector findings) {
    this.holdings = holdings;
    this.places = places;
    this.reclaimer = reclaimer;
    this.findings = findings;
  }

  /** Runs the check. */
  Storage.Report run() throws IOException {
    Path dataRoot = holdings.dataRoot();
    if (places.stream().noneMatch(place -> place.path().equals(dataRoot))) {
      root(dataRoot, Set.of());
    }
    for (OpenRoot place : places) {
      Set<String> names = Set.of();
      StorageInspection inspection = Capability.guarded(place.storage(), StorageInspection.class);
      if (inspection != null) {
        inspection.inspect(findings.deletesLeftovers(), findings::add);
        names = inspection.ownNames();
      }
      root(place.path(), names);
      record(place);
    }
    builds();
    new VolumeCheck(holdings, findings).run();
    int nodes = nodes();
    int snapshots = new SnapshotCheck(holdings, reclaimer, findings).run();
    int sandboxes = new SandboxCheck(holdings, findings).run();
    return new Storage.Report(findings.all(), snapshots, sandboxes, nodes);
  }

  /** Checks the entries of a root's own directory. */
  private void root(Path root, Set<String> backendNames) throws IOException {
    Set<Path> probes = new HashSet<>(ProbeLeftovers.findIn(root));
    for (Path path : FileTrees.children(root)) {
      String name = String.valueOf(path.getFileName());
      if (probes.contains(path)) {
        if (findings.isOlder(path, PROBE)) {
          findings.machines(
              path,
              "the remains of a probe",
              () -> {
                if (!ProbeLeftovers.remove(path, holdings.hypervisor())) {
                  throw new IOException("the log says why");
                }
              });
        }
      } else if (name.equals(JsonFile.unfinished("root.json"))) {
        findings.temporary(path);
      } else if (!OWN.contains(name) && !backendNames.contains(name) && !isForeign(name)) {
        findings.foreign(path, "not part of a root");
      }
    }
  }

  /**
   * Returns whether a name in a data root belongs to a pool, or to the host that embeds the engine.
   */
  private static boolean isForeign(String name) {
    return name.equals("pool")
        || name.startsWith("pool.")
        || name.startsWith(".pool")
        || name.startsWith("api-keys.json")
        || name.startsWith("local.key")
        || name.equals("ramet.sock")
        || name.startsWith("audit.log")
        || name.startsWith("template-builds.json")
        || name.equals(SecretFile.NAME)
        || name.equals(JsonFile.unfinished(SecretFile.NAME))
        || name.equals(GuestAuthority.NAME)
        || name.equals(JsonFile.unfinished(GuestAuthority.NAME))
        || name.equals("requests")
        || name.equals("tls")
        || name.equals("uploads");
  }

  private void record(OpenRoot place) {
    Path path = place.root().layout().rootRecord();
    try {
      RootRecord record = JsonFile.read(path, RootRecord.class);
      if (!record.isKnownFormat()) {
        findings.damage(
            path, "has layout " + record.format() + ", which this version does not know");
      } else if (!place.root().provider().id().equals(record.storageBackend())) {
        findings.damage(path, "names the storage backend " + record.storageBackend());
      }
    } catch (IOException e) {
      findings.damage(path, "the root's record cannot be read: " + e.getMessage());
    }
  }

  private void builds() throws IOException {
    for (Path path : FileTrees.children(holdings.layout().builds())) {
      if (!Ids.isId(String.valueOf(path.getFileName()))) {
        findings.foreign(path, "not a template that is being built");
      } else if (holdings.atRest()) {
        findings.atStart(path, "the remains of an unfinished build or export");
      }
    }
  }

  /** Finds disks and memory images without an owner. Returns the number of nodes. */
  private int nodes() {
    int count = 0;
    for (OpenRoot place : places) {
      NodeId last = null;
      List<Node> page = place.storage().page(null, PAGE);
      while (!page.isEmpty()) {
        for (Node node : page) {
          node(place, node);
          last = node.id();
          count++;
        }
        page = place.storage().page(last, PAGE);
      }
    }
    return count;
  }

  private void node(OpenRoot place, Node node) {
    NodeId id = node.id();
    Path path = place.path().resolve("volumes").resolve(node.origin().value()).resolve(id.value());
    if (!Layout.isOwn(id)) {
      findings.foreign(path, "a volume that is neither a sandbox's nor a snapshot's");
    } else if (isOrphan(id) && place.storage().find(id).isPresent() && isOrphan(id)) {
      findings.leftover(
          path,
          "an image whose owner is gone: " + id,
          exclusiveBytes(place.storage(), id),
          () -> {
            if (isOrphan(id)) {
              place.storage().delete(id);
            }
          });
    }
  }

  /**
   * Returns whether an image has no owner. An owner is known before its first image exists: a
   * snapshot as under way, a sandbox by its directory.
   */
  private boolean isOrphan(NodeId id) {
    String owner = Layout.owner(id);
    return !holdings.snapshots().underWay(owner)
        && holdings.snapshots().find(owner).isEmpty()
        && !Files.isDirectory(holdings.layout().snapshot(owner))
        && !Files.isDirectory(holdings.layout().sandbox(owner));
  }

  /** Returns how many bytes deleting a node frees; 0 if it does not exist. */
  static long exclusiveBytes(StorageBackend storage, NodeId id) {
    try {
      return storage.find(id).isEmpty() ? 0 : storage.usage(id).exclusiveBytes();
    } catch (RametException e) {
      return 0;
    }
  }

  static boolean isFile(Path path) {
    try {
      return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) && Files.size(path) > 0;
    } catch (IOException e) {
      return false;
    }
  }
}
