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
 * @param start a shell command that is started after the steps and keeps running, or null for the
 *     source's
 * @param ready a shell command that succeeds once the started command is ready, or null
 */
public record DerivedTemplate(
    String id,
    String name,
    List<String> tags,
    String source,
    @Nullable Integer cpuCount,
    @Nullable Long memoryBytes,
    List<BuildStep> steps,
    @Nullable String start,
    @Nullable String ready) {
  /** Copies the lists. */
  public DerivedTemplate {
    tags = List.copyOf(tags);
    steps = List.copyOf(steps);
  }

  /** Creates a request whose only tag is the one in its name, or else {@code default}. */
  public DerivedTemplate(
      String id,
      String name,
      String source,
      @Nullable Integer cpuCount,
      @Nullable Long memoryBytes,
      List<BuildStep> steps,
      @Nullable String start,
      @Nullable String ready) {
    this(id, name, List.of(), source, cpuCount, memoryBytes, steps, start, ready);
  }
}
