// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api;

import java.util.Map;

/**
 * How a capture went. Sizes are in bytes, times in milliseconds. Immutable and thread-safe as far
 * as its map is.
 *
 * @param mode the memory mode that selected the pages
 * @param modeReason why that mode
 * @param memoryBytesTotal the guest's memory
 * @param memoryBytesSelected pages the mode selected
 * @param memoryBytesWritten bytes written to the memory image
 * @param memoryBytesHoles selected bytes that were zero and became holes
 * @param pauseMs how long the guest stood still
 * @param totalMs from the request until the snapshot was durable
 * @param phasesMs the same by phase, in order
 */
public record CaptureInfo(
    String mode,
    String modeReason,
    long memoryBytesTotal,
    long memoryBytesSelected,
    long memoryBytesWritten,
    long memoryBytesHoles,
    double pauseMs,
    double totalMs,
    Map<String, Double> phasesMs) {}
