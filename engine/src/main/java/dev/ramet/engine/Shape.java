// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

/**
 * The size of a machine.
 *
 * @param cpuCount virtual CPUs
 * @param memoryBytes guest memory
 * @param diskBytes virtual size of the disk
 */
public record Shape(int cpuCount, long memoryBytes, long diskBytes) {}
