// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.Map;

/**
 * How a capture went.
 *
 * @param mode the memory mode that selected the pages
 * @param modeReason why that mode
 * @param memoryBytesTotal the guest's memory
 * @param memoryBytesSelected pages the mode selected
 * @param memoryBytesWritten bytes written to the memory image
 * @param memoryBytesHoles selected bytes that were zero and became holes
 * @param pauseNanos how long the guest stood still
 * @param totalNanos from the request until the snapshot was durable
 * @param phaseNanos the same by phase, in order
 */
public record CaptureReport(
    String mode,
    String modeReason,
    long memoryBytesTotal,
    long memoryBytesSelected,
    long memoryBytesWritten,
    long memoryBytesHoles,
    long pauseNanos,
    long totalNanos,
    Map<String, Long> phaseNanos) {}
