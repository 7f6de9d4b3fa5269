// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the programs of the host that a plugin runs. Thread-safe. */
public final class HostPrograms {
  private static final Pattern SEPARATOR = Pattern.compile(File.pathSeparator);

  private HostPrograms() {}

  /** Returns the absolute path of a program in a directory of {@code PATH}. */
  public static Optional<Path> find(String name) {
    return find(path(), name);
  }

  /**
   * Returns the absolute path of a program for administrators: in a directory of {@code PATH}, or
   * in the sbin directories, which many users' {@code PATH} lacks.
   */
  public static Optional<Path> findInSbinToo(String name) {
    return find(Stream.concat(path(), Stream.of("/usr/sbin", "/sbin")), name);
  }

  /** Returns the directories of {@code PATH}; an empty name, the current directory, is left out. */
  private static Stream<String> path() {
    return SEPARATOR
        .splitAsStream(System.getenv().getOrDefault("PATH", "/usr/bin:/bin"))
        .filter(directory -> !directory.isEmpty());
  }

  private static Optional<Path> find(Stream<String> directories, String name) {
    return directories
        .map(directory -> Path.of(directory, name).toAbsolutePath())
        .filter(Files::isRegularFile)
        .filter(Files::isExecutable)
        .findFirst();
  }
}
