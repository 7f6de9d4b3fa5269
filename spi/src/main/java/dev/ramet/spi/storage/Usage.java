// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

/**
 * The disk space a node takes.
 *
 * @param exclusiveBytes allocated bytes that deleting the node would free
 * @param referencedBytes allocated bytes the node refers to, shared ones included
 */
public record Usage(long exclusiveBytes, long referencedBytes) {}
