// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import dev.ramet.engine.WantedShape;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A request to build a template from a container image.
 *
 * @param name the template's name, optionally followed by a colon and a tag
 * @param source the container image
 * @param commands the commands to start it by
 * @param noStart whether to start nothing
 * @param shape the size of its sandboxes
 */
public record ImageTemplate(
    String name, Source source, StartCommands commands, boolean noStart, WantedShape shape) {
  /**
   * A container image.
   *
   * @param image absolute path on the host of an OCI layout (a directory or tar archive) or of the
   *     output of {@code docker save}
   * @param platform the platform to take from a multi-platform image, or null for the default one
   * @param tag the image to take from several, or null when there is only one
   */
  public record Source(Path image, @Nullable String platform, @Nullable String tag) {}

  /** Returns this part of {@link #source}. */
  public Path image() {
    return source.image();
  }

  /** Returns this part of {@link #source}. */
  public @Nullable String platform() {
    return source.platform();
  }

  /** Returns this part of {@link #source}. */
  public @Nullable String tag() {
    return source.tag();
  }

  /** Returns this part of {@link #commands}. */
  public @Nullable String start() {
    return commands.start();
  }

  /** Returns this part of {@link #commands}. */
  public @Nullable String ready() {
    return commands.ready();
  }

  /** Returns this part of {@link #shape}. */
  public @Nullable Integer cpuCount() {
    return shape.cpuCount();
  }

  /** Returns this part of {@link #shape}. */
  public @Nullable Long memoryBytes() {
    return shape.memoryBytes();
  }

  /** Returns this part of {@link #shape}. */
  public @Nullable Long diskBytes() {
    return shape.diskBytes();
  }
}
