// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** The files and directories of a root that distinguish a half-made thing from a finished one. */
final class RootFiles {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> PARTS = List.of("volumes", "snapshots", "sandboxes", "builds");
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  private RootFiles() {}

  /** Returns the existing ones, whether or not a host has the root open. */
  static SortedSet<String> of(Path root) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    for (String part : PARTS) {
      Path directory = root.resolve(part);
      if (Files.isDirectory(directory)) {
        Trees.below(directory).stream()
            // Only a hint, written some time after a restore.
            .filter(path -> !path.getFileName().toString().contains("working-set"))
            .map(path -> root.relativize(path).toString())
            .forEach(names::add);
      }
    }
    return names;
  }

  /**
   * Waits for deletions under way. A prefetcher of working sets keeps a snapshot's files open for a
   * moment after a guest has failed to start. The wait is limited, so that the caller sees a
   * deletion that never ends.
   */
  static void awaitDeletions(Path root) throws IOException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (deletionUnderWay(root) && System.nanoTime() < end && rest()) {}
  }

  /** Waits, for a limited time, until a file or directory is gone. */
  static void awaitGone(Path path) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (Files.exists(path) && System.nanoTime() < end && rest()) {}
  }

  private static boolean rest() {
    try {
      Thread.sleep(10);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns whether a snapshot is marked deleted and no sandbox rests on it. */
  private static boolean deletionUnderWay(Path root) throws IOException {
    List<String> needed = new ArrayList<>();
    for (JsonNode sandbox : manifests(root.resolve("sandboxes"))) {
      needed.add(sandbox.path("machine").path("memoryBase").asText());
    }
    for (JsonNode snapshot : manifests(root.resolve("snapshots"))) {
      if (snapshot.path("deleted").asBoolean() && !needed.contains(snapshot.path("id").asText())) {
        return true;
      }
    }
    return false;
  }

  private static List<JsonNode> manifests(Path directory) throws IOException {
    List<JsonNode> found = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      for (Path path : Trees.below(directory)) {
        if (path.endsWith("manifest.json")) {
          try {
            found.add(JSON.readTree(path.toFile()));
          } catch (IOException goneOrHalfWritten) {
            // It is read again in a moment.
          }
        }
      }
    }
    return found;
  }
}
