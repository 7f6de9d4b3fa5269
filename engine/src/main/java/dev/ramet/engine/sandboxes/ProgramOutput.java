// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

/**
 * The end of the output of the program that a template starts in its machines.
 *
 * @param bytes the last bytes, which must not be modified
 * @param sizeBytes how much the program has written so far
 */
@SuppressWarnings("ArrayRecordComponent") // bytes are passed on, never compared
public record ProgramOutput(byte[] bytes, long sizeBytes) {}
