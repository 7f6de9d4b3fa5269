// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

/**
 * The amounts of data that a capture processed. {@code writtenBytes + holeBytes + sameBytes ==
 * selectedBytes}.
 *
 * @param selectedBytes bytes selected by the memory mode, in all rounds and in the pause: a page
 *     that was copied before the pause and written again counts twice
 * @param writtenBytes bytes written to the image
 * @param holeBytes bytes that were zero, and were therefore skipped or made a hole
 * @param sameBytes bytes that the image held already, and that were therefore skipped
 * @param streamedBytes bytes that did not fit into staging memory and were processed during the
 *     pause
 */
public record PagesWritten(
    long selectedBytes, long writtenBytes, long holeBytes, long sameBytes, long streamedBytes) {}
