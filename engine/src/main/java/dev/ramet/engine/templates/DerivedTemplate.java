// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to build a template from another one by running steps in a machine of it.
 *
 * @param id the template's id, from {@link Templates#newId}
 * @param name the template's name, optionally followed by a colon and a tag
 * @param tags further tags for the new version; if neither the name nor this list has a tag, it is
 *     {@code default}. The tags move to the new version once it is complete, and a version that
 *     loses its last tag this way is deleted
 * @param source id or name of the template or snapshot to start from
 * @param cpuCount virtual CPUs, or null for the source's; a different number needs a cold boot
 * @param memoryBytes guest memory, or null for the source's; a different size needs a cold boot
 * @param steps the steps, in the order they run
 * @param commands the commands that start a program after the steps
 */
public record DerivedTemplate(
    String id,
    String name,
    List<String> tags,
    String source,
    @Nullable Integer cpuCount,
    @Nullable Long memoryBytes,
    List<BuildStep> steps,
    StartCommands commands) {
  /** Returns this part of {@link #commands}. */
  public @Nullable String start() {
    return commands.start();
  }

  /** Returns this part of {@link #commands}. */
  public @Nullable String ready() {
    return commands.ready();
  }

  /** Copies the lists. */
  public DerivedTemplate {
    tags = List.copyOf(tags);
    steps = List.copyOf(steps);
  }
}
