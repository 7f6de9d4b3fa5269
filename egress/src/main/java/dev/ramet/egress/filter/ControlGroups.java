// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Control groups of version 2 below that of this process, for machines (cgroups(7)). No controller
 * is used: they only tell processes apart. Thread-safe.
 */
final class ControlGroups {
  private static final Path OWN = Path.of("/proc/self/cgroup");
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final String SECOND_VERSION = "0::/";

  private final Path parent;
  private final String prefix;

  private ControlGroups(Path parent, String prefix) {
    this.parent = parent;
    this.prefix = prefix;
  }

  /**
   * Those of one engine.
   *
   * @param prefix begins the names of all of them, and of none of another engine's
   * @return empty where version 2 is not mounted
   */
  static Optional<ControlGroups> find(String prefix) throws IOException {
    Optional<String> own =
        Files.readAllLines(OWN).stream()
            .filter(line -> line.startsWith(SECOND_VERSION))
            .map(line -> line.substring(SECOND_VERSION.length()))
            .findFirst();
    Optional<Path> mount =
        Files.readAllLines(MOUNTS).stream()
            // Field 5 is where it is mounted; after the dash come the type and more.
            .filter(line -> line.contains(" - cgroup2 "))
            .map(line -> Path.of(line.split(" ", -1)[4]))
            .findFirst();
    if (own.isEmpty() || mount.isEmpty()) {
      return Optional.empty();
    }
    Path parent = mount.get().resolve(own.get());
    return Files.isDirectory(parent)
        ? Optional.of(new ControlGroups(parent, prefix))
        : Optional.empty();
  }

  Path path(String name) {
    return parent.resolve(prefix + name);
  }

  /** Makes a group unless it is there. */
  Path make(String name) throws IOException {
    return Files.createDirectories(path(name));
  }

  /** Moves a process with all its threads. */
  static void move(long pid, Path group) throws IOException {
    Files.writeString(group.resolve("cgroup.procs"), Long.toString(pid));
  }

  /** Removes a group that has no process any more; one that has stays. */
  boolean remove(String name) {
    try {
      return Files.deleteIfExists(path(name));
    } catch (IOException e) {
      return false;
    }
  }

  /** The names of all that are there. */
  List<String> list() {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, prefix + "*")) {
      found.forEach(
          path -> names.add(String.valueOf(path.getFileName()).substring(prefix.length())));
    } catch (IOException e) {
      return List.of(); // What is left of them holds nothing but a name.
    }
    return names;
  }

  @Override
  public String toString() {
    return parent.toString();
  }
}
