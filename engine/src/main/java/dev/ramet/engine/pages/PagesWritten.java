// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

/**
 * What a capture did to its image. {@code writtenBytes + holeBytes + sameBytes == selectedBytes}.
 *
 * @param selectedBytes what the memory mode selected, in all rounds and in the pause: a page that
 *     was copied before the pause and written again counts again
 * @param writtenBytes what was written
 * @param holeBytes what was zero, and therefore left out or made a hole
 * @param sameBytes what the image held already, and was therefore left out
 * @param streamedBytes how much of it did not fit into staging memory and was handled in the pause
 */
public record PagesWritten(
    long selectedBytes, long writtenBytes, long holeBytes, long sameBytes, long streamedBytes) {}
