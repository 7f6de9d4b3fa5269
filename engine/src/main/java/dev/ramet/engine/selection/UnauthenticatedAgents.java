// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds sandboxes, snapshots and templates whose agents cannot tell this host from others.
 * Thread-safe.
 */
public final class UnauthenticatedAgents {
  private static final int MAX_NAMED = 5;

  private final SandboxStore sandboxes;
  private final SnapshotStore snapshots;
  private final boolean handsSecrets;

  /**
   * Creates a finder for the records of a root.
   *
   * @param handsSecrets whether the hypervisor gives guests secrets
   */
  public UnauthenticatedAgents(
      SandboxStore sandboxes, SnapshotStore snapshots, boolean handsSecrets) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.handsSecrets = handsSecrets;
  }

  /** Returns advice about such agents; empty when there are none. */
  List<String> advice() {
    List<String> found = new ArrayList<>();
    add(found, "template", findUnauthenticated(SnapshotRecord.Kind.TEMPLATE));
    add(found, "snapshot", findUnauthenticated(SnapshotRecord.Kind.SNAPSHOT));
    add(
        found,
        "sandbox",
        sandboxes.all().stream()
            .map(LiveSandbox::saved)
            .filter(UnauthenticatedAgents::findUnauthenticated)
            .map(r -> r.id()));
    if (found.isEmpty()) {
      return List.of();
    }
    String why =
        "agent: unauthenticated: any user of this host can take over the machines of "
            + String.join(", ", found);
    return List.of(
        handsSecrets
            ? why
                + "; build or import the template again (ramet template build NAME), and make new"
                + " sandboxes and snapshots from it"
            : why
                + "; the chosen hypervisor gives guests no secret: use one that states guest-secret");
  }

  private Stream<String> findUnauthenticated(SnapshotRecord.Kind kind) {
    return snapshots.all().stream()
        .filter(SnapshotStore::visible)
        .filter(record -> record.kind() == kind && record.warm())
        .filter(record -> record.agentPort() != null && record.hostSecret() == null)
        .map(
            record -> {
              String name = record.name();
              return name == null ? record.id() : name;
            });
  }

  private static boolean findUnauthenticated(SandboxRecord record) {
    boolean lives =
        record.state() == SandboxRecord.State.RUNNING
            || record.state() == SandboxRecord.State.PAUSED;
    return lives
        && !record.hidden()
        && record.agentPort() != null
        && record.machine().hostSecret() == null;
  }

  private static void add(List<String> found, String kind, Stream<String> names) {
    List<String> all = names.distinct().sorted().toList();
    if (!all.isEmpty()) {
      String more = all.size() > MAX_NAMED ? " and " + (all.size() - MAX_NAMED) + " more" : "";
      found.add(kind + " " + all.stream().limit(MAX_NAMED).collect(Collectors.joining(" ")) + more);
    }
  }
}
