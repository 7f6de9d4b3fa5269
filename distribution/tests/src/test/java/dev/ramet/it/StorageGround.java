// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Snapshot;
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
 * Ground whose engine is closed, with a sandbox and two snapshots of it: one that stays good and
 * one to be damaged. It knows how to damage and to litter the root, and to read what a check says
 * of it.
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

  /** Where volumes, snapshots and sandboxes are. */
  Path root() {
    return root;
  }

  /** The id of the sandbox, in whose memory {@code /tmp/file} is "kept". */
  String sandbox() {
    return sandbox.id();
  }

  /** The id of the snapshot that stays good. */
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

  /** Shortens the disk of the bad snapshot, and answers where that is. */
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

  /** Takes the kernel away from the bad snapshot, and answers where that was. */
  Path deleteKernel() throws IOException {
    Path kernel = ofTheBad().resolve("kernel");
    Files.delete(kernel);
    return kernel;
  }

  /** Makes a snapshot whose manifest nobody can read. */
  Path unreadableSnapshot() throws IOException {
    Path directory = root.resolve("snapshots/s2123456789abcdefghi");
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("manifest.json"), "not a manifest");
    return old(directory);
  }

  /** Leaves a manifest that was being written beside that of the good snapshot. */
  Path halfWrittenManifest() throws IOException {
    return Files.writeString(ofTheGood().resolve(".manifest.json.new"), "{");
  }

  /** Makes a directory with a file that was being made. */
  static Path directory(Path path, String file) throws IOException {
    Files.createDirectories(path);
    Files.writeString(path.resolve(file), "half made");
    return path;
  }

  /** Makes it look an hour old: a host leaves to the next check what changed just now. */
  static Path old(Path path) throws IOException {
    return Files.setLastModifiedTime(path, FileTime.from(Instant.now().minusSeconds(3600)));
  }

  /** What a check found, by path. */
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

  /** What is said of a path that must be among what was found. */
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
