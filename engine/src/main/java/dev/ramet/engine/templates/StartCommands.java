// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import org.jspecify.annotations.Nullable;

/**
 * The commands that start a template's program before its capture.
 *
 * @param start a shell command to start, or null for that of the image or template it is made from
 * @param ready a shell command that succeeds once the started command is ready, or null
 */
public record StartCommands(@Nullable String start, @Nullable String ready) {
  /** Neither command. */
  public static final StartCommands NONE = new StartCommands(null, null);
}
