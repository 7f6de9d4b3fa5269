// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The paths and names below a root. The storage backend keeps its volumes in the same root. The
 * name of each volume begins with the id of the sandbox or snapshot that owns it, so that volumes
 * that a crash left without an owner can be recognized.
 *
 * @param root the root: the data root itself, or the pool that was provisioned inside it
 */
public record Layout(Path root) {
  /** The prefix of directories that are not published yet. */
  public static final String PARTIAL_PREFIX = ".new-";

  /** The prefix of directories that are being deleted. */
  public static final String DELETED_PREFIX = ".del-";

  /** The manifest's file name in each directory. */
  public static final String MANIFEST = "manifest.json";

  private static final String MEMORY_SUFFIX = ".memory";
  private static final Pattern MACHINE = Pattern.compile("vm-[0-9]{1,9}");
  private static final Pattern OWN_NODE =
      Pattern.compile("[a-z][a-z0-9]{19}\\.(disk|memory|disk-[0-9]+)");

  /** Returns the root's own record. */
  public Path rootRecord() {
    return root.resolve("root.json");
  }

  /** Returns the directory of all snapshots and templates. */
  public Path snapshots() {
    return root.resolve("snapshots");
  }

  /** Returns the directory of one snapshot. */
  public Path snapshot(String id) {
    return snapshots().resolve(id);
  }

  /** Returns the directory of one snapshot before it is published. */
  public Path partialSnapshot(String id) {
    return snapshots().resolve(PARTIAL_PREFIX + id);
  }

  /** Returns the directory of all sandboxes. */
  public Path sandboxes() {
    return root.resolve("sandboxes");
  }

  /** Returns the directory of one sandbox. */
  public Path sandbox(String id) {
    return sandboxes().resolve(id);
  }

  /** Returns the directory of one machine of a sandbox; each new machine gets the next number. */
  public Path machine(String sandboxId, int number) {
    return sandbox(sandboxId).resolve("vm-" + number);
  }

  /**
   * Returns the marker file, in the directory of a machine or a snapshot, which says that its image
   * has lost writes.
   */
  public static Path lostWrites(Path directory) {
    return directory.resolve("lost-writes");
  }

  /** Returns the scratch directory of template builds and exports, which is emptied at start. */
  public Path builds() {
    return root.resolve("builds");
  }

  /** Returns the directory of all shared volumes; volumes of the storage backend are elsewhere. */
  public Path sharedVolumes() {
    return root.resolve("shared-volumes");
  }

  /** Returns whether a name is that of a machine's directory. */
  public static boolean isMachine(String name) {
    return MACHINE.matcher(name).matches();
  }

  /** Returns a machine's name, which is unique among all machines of the root. */
  public static String machineName(String sandboxId, int number) {
    return sandboxId + "-" + number;
  }

  /** Returns the device state in a snapshot's directory. */
  public static Path devices(Path snapshotDirectory) {
    return snapshotDirectory.resolve("devices");
  }

  /** Returns the kernel in a snapshot's or machine's directory. */
  public static Path kernel(Path directory) {
    return directory.resolve("kernel");
  }

  /** Returns the initial RAM disk in a snapshot's or machine's directory. */
  public static Path initrd(Path directory) {
    return directory.resolve("initrd");
  }

  /**
   * Returns the file to which hypervisors write the end of a guest's console output, in a machine's
   * directory.
   */
  public static Path console(Path machineDirectory) {
    return machineDirectory.resolve("console.log");
  }

  /** Returns the disk of a sandbox's machine. */
  public static NodeId machineDisk(String sandboxId, int number) {
    return NodeId.of(sandboxId + ".disk-" + number);
  }

  /** Returns the disk of a snapshot. */
  public static NodeId snapshotDisk(String snapshotId) {
    return NodeId.of(snapshotId + ".disk");
  }

  /** Returns the memory image of a snapshot. */
  public static NodeId snapshotMemory(String snapshotId) {
    return NodeId.of(snapshotId + MEMORY_SUFFIX);
  }

  /** Returns whether a node is a memory image, judged by its name. */
  public static boolean isMemory(NodeId node) {
    return node.value().endsWith(MEMORY_SUFFIX);
  }

  /** Returns whether a node's name follows the engine's naming scheme. */
  public static boolean isOwn(NodeId node) {
    return OWN_NODE.matcher(node.value()).matches();
  }

  /** Returns the id of the sandbox or snapshot a node belongs to. */
  public static String owner(NodeId node) {
    int dot = node.value().indexOf('.');
    return dot < 0 ? "" : node.value().substring(0, dot);
  }
}
