// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to make a template of another one by steps that are done in a machine of it.
 *
 * @param id the template's id, from {@link Templates#newId}
 * @param name the template's name, with a tag behind a colon or without
 * @param tags further tags of this version of it; where neither tells one, it is {@code default}.
 *     They are moved to it once it is whole, and a version that loses its last one so gives way
 * @param source id or name of a template or snapshot to start from
 * @param cpuCount virtual CPUs, or null for the source's; another number means a cold boot
 * @param memoryBytes guest memory, or null for the source's; another size means a cold boot
 * @param steps what is done, in this order
 * @param start a shell command that is started after the steps and stays, or null for what the
 *     source starts
 * @param ready a shell command that succeeds once what was started is ready, or null
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

  /** One with the tag of its name, or else the default one. */
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
