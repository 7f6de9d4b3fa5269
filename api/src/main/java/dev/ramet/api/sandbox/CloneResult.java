// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.snapshot.CaptureInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a clone made. Immutable and thread-safe as far as its list is.
 *
 * @param sandboxes the clones
 * @param capture the capture they all start from; null when that was of a disk alone
 * @param totalMs milliseconds from the request to the last clone's answer
 */
public record CloneResult(
    List<SandboxInfo> sandboxes, @Nullable CaptureInfo capture, double totalMs) {}
