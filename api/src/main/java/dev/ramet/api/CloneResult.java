// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api;

import java.util.List;

/**
 * What a clone made. Immutable and thread-safe as far as its list is.
 *
 * @param sandboxes the clones
 * @param capture the capture they all start from
 * @param totalMs milliseconds from the request to the last clone's answer
 */
public record CloneResult(List<SandboxInfo> sandboxes, CaptureInfo capture, double totalMs) {}
