// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.it.Installed.Run;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Ground whose engine is closed, with a sandbox and two snapshots of it: a good one and one to be
 * damaged. Has methods to damage the root, to leave files in it, and to read the findings of a
 * check.
 */
final class StorageGround implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Ground ground;
  private final Path root;
  private final Sandbox sandbox;
  private final Snapshot good;
  private final Snapshot bad;

  private StorageGround(Ground ground) throws IOException {
    this.ground = ground;
    root = ground.root();
    sandbox = ground.create();
    ground.shell(sandbox.id()).run("echo kept > /tmp/file");
    good = ground.engine().snapshots().create(sandbox.id(), "good");
    bad = ground.engine().snapshots().create(sandbox.id(), "bad");
    ground.closeEngine();
  }

  static StorageGround make() throws IOException {
    return Ground.make().under(StorageGround::new);
  }

  Ground ground() {
    return ground;
  }

  /** Returns the root that holds volumes, snapshots and sandboxes. */
  Path root() {
    return root;
  }

  /** Returns the id of the sandbox, whose file {@code /tmp/file} in memory contains "kept". */
  String sandbox() {
    return sandbox.id();
  }

  /** Returns the id of the good snapshot. */
  String good() {
    return good.id();
  }

  Path ofTheSandbox() {
    return root.resolve("sandboxes").resolve(sandbox.id());
  }

  Path ofTheGood() {
    return root.resolve("snapshots").resolve(good.id());
  }

  Path ofTheBad() {
    return root.resolve("snapshots").resolve(bad.id());
  }

  Path kernelOfTheSandbox() throws IOException {
    try (Stream<Path> all = Files.list(ofTheSandbox())) {
      return all.filter(path -> Files.exists(path.resolve("kernel")))
          .findFirst()
          .orElseThrow()
          .resolve("kernel");
    }
  }

  /** Shortens the disk of the bad snapshot, and returns its path. */
  Path shortenDisk() throws IOException {
    String id = bad.id() + ".disk";
    Path disk;
    try (Stream<Path> all = Files.walk(root.resolve("volumes"), 2)) {
      disk = all.filter(path -> path.endsWith(id)).findFirst().orElseThrow();
    }
    try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
      file.setLength(file.length() - 4096);
    }
    return disk;
  }

  /** Deletes the kernel of the bad snapshot, and returns its path. */
  Path deleteKernel() throws IOException {
    Path kernel = ofTheBad().resolve("kernel");
    Files.delete(kernel);
    return kernel;
  }

  /** Makes a snapshot with an unreadable manifest. */
  Path unreadableSnapshot() throws IOException {
    Path directory = root.resolve("snapshots/s2123456789abcdefghi");
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("manifest.json"), "not a manifest");
    return old(directory);
  }

  /** Leaves an unfinished manifest next to that of the good snapshot. */
  Path halfWrittenManifest() throws IOException {
    return Files.writeString(ofTheGood().resolve(".manifest.json.new"), "{");
  }

  /** Makes a directory with an unfinished file. */
  static Path directory(Path path, String file) throws IOException {
    Files.createDirectories(path);
    Files.writeString(path.resolve(file), "did not finish");
    return path;
  }

  /** Sets the modification time to an hour ago, because a check by a host skips recent changes. */
  static Path old(Path path) throws IOException {
    return Files.setLastModifiedTime(path, FileTime.from(Instant.now().minusSeconds(3600)));
  }

  /** Returns the findings of a check, by path. */
  static Map<Path, JsonNode> findings(Run run) throws IOException {
    Map<Path, JsonNode> found = new HashMap<>();
    JSON.readTree(run.out())
        .path("findings")
        .forEach(f -> found.put(Path.of(f.path("path").asText()), f));
    return found;
  }

  static void assertKinds(Map<Path, JsonNode> found, List<Path> paths, String kind) {
    for (Path path : paths) {
      JsonNode finding = found.get(path);
      assertEquals(
          kind, finding == null ? "not found" : finding.path("kind").asText(), path + ": " + found);
    }
  }

  /** Returns a field of the finding for a path, which must exist. */
  static String field(Map<Path, JsonNode> found, Path path, String field) {
    return Objects.requireNonNull(found.get(path), path.toString()).path(field).asText();
  }

  @Override
  public void close() throws IOException {
    if (!ground.isOpen()) {
      ground.openEngine();
    }
    ground.close();
  }
}
