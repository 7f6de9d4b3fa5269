// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import dev.ramet.engine.snapshots.CaptureReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a clone operation.
 *
 * @param sandboxes the clones
 * @param capture the capture that all of them start from; null when only the disk was captured
 * @param totalNanos from the request until the last clone's agent answered
 */
public record CloneReport(
    List<Sandbox> sandboxes, @Nullable CaptureReport capture, long totalNanos) {
  /** Copies the list. */
  public CloneReport {
    sandboxes = List.copyOf(sandboxes);
  }
}
