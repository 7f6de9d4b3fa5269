// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a clone made.
 *
 * @param sandboxes the clones
 * @param capture the capture they all start from; null when that was of a disk alone
 * @param totalNanos from the request to the last clone's answer
 */
public record CloneReport(
    List<Sandbox> sandboxes, @Nullable CaptureReport capture, long totalNanos) {
  /** Copies the list. */
  public CloneReport {
    sandboxes = List.copyOf(sandboxes);
  }
}
