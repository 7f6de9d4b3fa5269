// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Where things are below a root. The storage backend keeps its volumes in the same root; the name
 * of each volume begins with the id of the sandbox or snapshot it belongs to, so that what a crash
 * left without an owner can be told from what is in use.
 *
 * @param root the root: the data root itself, or the pool that was provisioned inside it
 */
public record Layout(Path root) {
  /** Prefix of directories that are not published yet. */
  public static final String PARTIAL_PREFIX = ".new-";

  /** Prefix of directories that are being deleted. */
  public static final String DELETED_PREFIX = ".del-";

  /** The manifest's name in each directory. */
  public static final String MANIFEST = "manifest.json";

  private static final String MEMORY_SUFFIX = ".memory";
  private static final Pattern MACHINE = Pattern.compile("vm-[0-9]{1,9}");
  private static final Pattern OWN_NODE =
      Pattern.compile("[a-z][a-z0-9]{19}\\.(disk|memory|disk-[0-9]+)");

  /** The root's own record. */
  public Path rootRecord() {
    return root.resolve("root.json");
  }

  /** Directory of all snapshots and templates. */
  public Path snapshots() {
    return root.resolve("snapshots");
  }

  /** Directory of one snapshot. */
  public Path snapshot(String id) {
    return snapshots().resolve(id);
  }

  /** Directory of one snapshot before it is published. */
  public Path partialSnapshot(String id) {
    return snapshots().resolve(PARTIAL_PREFIX + id);
  }

  /** Directory of all sandboxes. */
  public Path sandboxes() {
    return root.resolve("sandboxes");
  }

  /** Directory of one sandbox. */
  public Path sandbox(String id) {
    return sandboxes().resolve(id);
  }

  /** Directory of one machine of a sandbox; a rollback starts the next. */
  public Path machine(String sandboxId, int number) {
    return sandbox(sandboxId).resolve("vm-" + number);
  }

  /** The mark, in the directory of a machine or a snapshot, that its image has lost writes. */
  public static Path lostWrites(Path directory) {
    return directory.resolve("lost-writes");
  }

  /** Scratch directory of template builds and exports, emptied at start. */
  public Path builds() {
    return root.resolve("builds");
  }

  /** Directory of all volumes that sandboxes share; the storage backend has others. */
  public Path sharedVolumes() {
    return root.resolve("shared-volumes");
  }

  /** Whether a name is that of a machine's directory. */
  public static boolean isMachine(String name) {
    return MACHINE.matcher(name).matches();
  }

  /** A machine's name among all machines of the root. */
  public static String machineName(String sandboxId, int number) {
    return sandboxId + "-" + number;
  }

  /** The device state in a snapshot's directory. */
  public static Path devices(Path snapshotDirectory) {
    return snapshotDirectory.resolve("devices");
  }

  /** The kernel in a snapshot's or machine's directory. */
  public static Path kernel(Path directory) {
    return directory.resolve("kernel");
  }

  /** The initial ram disk in a snapshot's or machine's directory. */
  public static Path initrd(Path directory) {
    return directory.resolve("initrd");
  }

  /** What hypervisors write the end of a guest's console to, in a machine's directory. */
  public static Path console(Path machineDirectory) {
    return machineDirectory.resolve("console.log");
  }

  /** The disk of a sandbox's machine. */
  public static NodeId machineDisk(String sandboxId, int number) {
    return NodeId.of(sandboxId + ".disk-" + number);
  }

  /** The disk of a snapshot. */
  public static NodeId snapshotDisk(String snapshotId) {
    return NodeId.of(snapshotId + ".disk");
  }

  /** The memory image of a snapshot. */
  public static NodeId snapshotMemory(String snapshotId) {
    return NodeId.of(snapshotId + MEMORY_SUFFIX);
  }

  /** Whether a node is a memory image, by its name. */
  public static boolean isMemory(NodeId node) {
    return node.value().endsWith(MEMORY_SUFFIX);
  }

  /** Whether a node's name is one that the engine gives. */
  public static boolean isOwn(NodeId node) {
    return OWN_NODE.matcher(node.value()).matches();
  }

  /** The id of the sandbox or snapshot a node belongs to. */
  public static String owner(NodeId node) {
    int dot = node.value().indexOf('.');
    return dot < 0 ? "" : node.value().substring(0, dot);
  }
}
