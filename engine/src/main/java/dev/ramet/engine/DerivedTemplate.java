// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to make a template of another one by steps that are done in a machine of it.
 *
 * @param id the template's id, from {@link Templates#newId}
 * @param name the template's name; one of that name gives way once this one is whole
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
    String source,
    @Nullable Integer cpuCount,
    @Nullable Long memoryBytes,
    List<BuildStep> steps,
    @Nullable String start,
    @Nullable String ready) {
  /** Copies the steps. */
  public DerivedTemplate {
    steps = List.copyOf(steps);
  }
}
