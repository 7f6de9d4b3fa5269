// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One step of building a {@link DerivedTemplate}. Immutable and thread-safe. */
public sealed interface BuildStep {
  /**
   * Runs a command with a login shell.
   *
   * @param command the command line for the shell
   * @param user the user that runs it, or null for the current user
   */
  record Run(String command, @Nullable String user) implements BuildStep {}

  /**
   * Unpacks files in the guest. A single file is written to the destination path, or into it if the
   * destination is a directory or ends with a slash. For a directory, its content goes into the
   * destination.
   *
   * @param archive a tar archive on the host, optionally compressed by gzip
   * @param source the files to take from the archive, as a path or pattern below the packed folder
   * @param destination the path in the guest; a relative path is resolved against the current
   *     directory
   * @param owner a user, or a user and group joined by a colon; null for the current user
   * @param mode octal permission bits for everything that is copied, or null for those in the
   *     archive
   */
  record Copy(
      Path archive,
      String source,
      String destination,
      @Nullable String owner,
      @Nullable String mode)
      implements BuildStep {}

  /**
   * Sets environment variables for later commands and for the commands of every sandbox of the
   * template. A value may refer to other variables, as {@code $NAME} or {@code ${NAME}}.
   */
  record Environment(Map<String, String> variables) implements BuildStep {
    /** Copies the variables, keeping their order. */
    public Environment {
      variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables));
    }
  }

  /** Changes the directory, creating it if needed; sandboxes run their commands in it as well. */
  record Workdir(String directory) implements BuildStep {}

  /** Changes the user; sandboxes run their commands as that user as well. */
  record User(String name) implements BuildStep {}
}
