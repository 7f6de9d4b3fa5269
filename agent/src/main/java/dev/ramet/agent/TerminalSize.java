// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

/**
 * The size of a terminal in characters. Immutable and thread-safe.
 *
 * @param columns characters per line
 * @param rows lines
 */
public record TerminalSize(int columns, int rows) {
  /** The size of a terminal that does not say. */
  public static final TerminalSize USUAL = new TerminalSize(80, 24);
}
