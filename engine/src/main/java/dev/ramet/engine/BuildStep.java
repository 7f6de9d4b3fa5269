// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A step of {@link DerivedTemplate}. Immutable and thread-safe. */
public sealed interface BuildStep {
  /**
   * Runs a command with a login shell.
   *
   * @param command what the shell is given
   * @param user who runs it, or null for the user so far
   */
  record Run(String command, @Nullable String user) implements BuildStep {}

  /**
   * Unpacks files in the guest: a file becomes the destination, unless that is a directory or ends
   * with a slash; of a directory, what is in it goes there.
   *
   * @param archive a tar archive on the host, compressed by gzip or not
   * @param source what of it, as a path or pattern below the folder that it was packed in
   * @param destination where to; a relative path is below the directory so far
   * @param owner user, or user and group joined by a colon; or null for the user so far
   * @param mode octal, for all that is copied, or null for what the archive says
   */
  record Copy(
      Path archive,
      String source,
      String destination,
      @Nullable String owner,
      @Nullable String mode)
      implements BuildStep {}

  /**
   * Sets variables for later commands, and for those of all sandboxes of the template. A value may
   * name others, as {@code $NAME} or {@code ${NAME}}.
   */
  record Environment(Map<String, String> variables) implements BuildStep {
    /** Copies the variables and keeps their order. */
    public Environment {
      variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables));
    }
  }

  /** Changes the directory, which is made if need be; it becomes that of sandboxes' commands. */
  record Workdir(String directory) implements BuildStep {}

  /** Changes the user; it becomes that of sandboxes' commands. */
  record User(String name) implements BuildStep {}
}
