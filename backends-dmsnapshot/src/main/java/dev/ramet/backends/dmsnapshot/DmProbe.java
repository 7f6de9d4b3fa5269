// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.ramet.backends.copy.CopyProbe;
import dev.ramet.backends.disk.HostErrors;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.dmsnapshot.layer.CowStore;
import dev.ramet.backends.dmsnapshot.record.RootIdentity;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.FsInfo;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Finds out whether the backend works in a directory: creates a root in it, a volume, and a
 * snapshot of the volume while it is open, and checks that neither shows writes to the other.
 * Removes all of it afterwards.
 */
final class DmProbe {
  /** How to enable the kernel features. */
  static final String REMEDY =
      "modprobe dm-snapshot loop, or run a kernel with CONFIG_DM_SNAPSHOT and"
          + " CONFIG_BLK_DEV_LOOP; on a file system with reflinks, use another storage backend";

  private static final System.Logger LOG = System.getLogger(DmProbe.class.getName());

  private static final String PREFIX = ".ramet-probe-";

  private DmProbe() {}

  static ProbeResult run(Path root) {
    return run(root, Steps.NONE, opened -> {});
  }

  /**
   * Runs the probe step by step.
   *
   * @param steps observes each change
   * @param opened receives the trial backend; a caller that interrupts a step must abandon it
   */
  static ProbeResult run(Path root, Steps steps, Consumer<DmSnapshotBackend> opened) {
    Path place = root.resolve(PREFIX + UUID.randomUUID());
    try {
      Map<String, String> evidence = new LinkedHashMap<>();
      evidence.put("file-system", FsInfo.of(root).typeName());
      try (DeviceMapper mapper = DeviceMapper.open()) {
        evidence.put("device-mapper", mapper.version());
      }
      removeLeftovers(root);
      PathCalls.makeDirectory(place, 0700);
      try (Fd held = Fd.openDirectory(place)) {
        held.lock();
        try {
          tryOperations(place, evidence, steps, opened);
        } finally {
          steps.before("remove the probe's files");
          removeTree(place);
        }
      }
      return new ProbeResult.Usable(DmSnapshotBackend.FACTS, evidence);
    } catch (LinuxException e) {
      return explainFailure(e, root, e);
    } catch (RametException e) {
      if (e.code() == ErrorCode.NO_SPACE && e.getCause() == null) {
        return new ProbeResult.Unusable(
            "no space left",
            String.valueOf(e.getMessage()),
            "free space on the file system of " + root,
            true);
      }
      return e.getCause() instanceof LinuxException cause
          ? explainFailure(cause, root, e)
          : new ProbeResult.Failed(e);
    } catch (IOException | RuntimeException e) {
      return new ProbeResult.Failed(e);
    }
  }

  /**
   * Removes leftovers of killed probes from a directory, above all their devices: the device names
   * are known only as long as the files exist.
   */
  static void removeLeftovers(Path root) {
    if (!Files.isDirectory(root)) {
      return; // The root has not been created yet.
    }
    try (DirectoryStream<Path> remains = Files.newDirectoryStream(root, PREFIX + "*")) {
      for (Path place : remains) {
        // A root without an id has no devices yet, and its creator may be about to lock it.
        if (Files.isRegularFile(
            RootIdentity.identityFile(place.resolve("layers")), NOFOLLOW_LINKS)) {
          removeIfUnused(place);
        }
      }
    } catch (IOException | LinuxException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot remove the remains of probes in " + root, e);
    }
  }

  private static void removeIfUnused(Path place) throws LinuxException, IOException {
    try (Fd held = Fd.openDirectory(place)) {
      if (held.tryLock()) {
        // Opening and closing a root removes the devices that nobody uses.
        DmSnapshotProvider.open(place, 1 << 20, 1, Steps.NONE).close();
        removeTree(place);
      }
    }
  }

  private static void tryOperations(
      Path place, Map<String, String> evidence, Steps steps, Consumer<DmSnapshotBackend> opened)
      throws LinuxException {
    NodeId volume = NodeId.of("v");
    NodeId snapshot = NodeId.of("s");
    try (DmSnapshotBackend backend = DmSnapshotProvider.open(place, 1 << 20, 1, steps)) {
      opened.accept(backend);
      backend.create(volume, 1 << 20);
      Path device = backend.attach(volume).path();
      try (Fd fd = Fd.open(device, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
        write(fd, 'o');
        long start = System.nanoTime();
        backend.snapshot(volume, snapshot, Durability.RELAXED);
        evidence.put("snapshot-micros", Long.toString((System.nanoTime() - start) / 1000));
        write(fd, 'v');
        require("the volume", read(fd) == 'v');
        try (Fd frozen = Fd.openRead(backend.attach(snapshot).path())) {
          require("the snapshot", read(frozen) == 'o');
        }
      }
      for (NodeId id : List.of(volume, snapshot)) {
        backend.delete(id);
      }
    }
  }

  private static void write(Fd fd, int value) throws LinuxException {
    fd.pwrite(ByteBuffer.allocateDirect(CowStore.CHUNK_BYTES).put(0, (byte) value), 0);
    fd.fsync();
  }

  private static int read(Fd fd) throws LinuxException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1);
    fd.pread(buffer, 0);
    return buffer.get(0);
  }

  private static void require(String what, boolean holds) {
    if (!holds) {
      throw new IllegalStateException(what + " does not hold the written data");
    }
  }

  private static ProbeResult explainFailure(LinuxException e, Path root, Exception failure) {
    String detail = "tried in " + HostErrors.describe(root) + ": " + e.getMessage();
    return switch (e.errno()) {
      case LinuxException.ENOENT, LinuxException.ENODEV, LinuxException.ENXIO ->
          Files.isDirectory(root)
              ? new ProbeResult.Unusable("no device-mapper or loop devices", detail, REMEDY)
              : new ProbeResult.Unusable("no such directory", detail, "make " + root);
      case LinuxException.EINVAL ->
          e.call().startsWith("ioctl DM_")
              ? new ProbeResult.Unusable("no snapshot target", detail, REMEDY)
              : genericFailure(e, root, failure);
      default -> genericFailure(e, root, failure);
    };
  }

  private static ProbeResult genericFailure(LinuxException e, Path root, Exception failure) {
    ProbeResult.Unusable unusable = CopyProbe.explain(e, root);
    return unusable != null ? unusable : new ProbeResult.Failed(failure);
  }

  private static void removeTree(Path place) throws IOException {
    try (Stream<Path> paths = Files.walk(place)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
