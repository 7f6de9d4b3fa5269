// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.snapshot.CaptureInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a clone. Immutable and thread-safe if its list is.
 *
 * @param sandboxes the clones
 * @param capture the capture they all start from; null when only the disk was captured
 * @param totalMs milliseconds from the request until the last clone was ready
 */
public record CloneResult(
    List<SandboxInfo> sandboxes, @Nullable CaptureInfo capture, double totalMs) {}
