// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.stream;

/** Follows the last message of an input that ended between two messages. */
public enum EndOfInput {
  /** The only one. */
  END
}
