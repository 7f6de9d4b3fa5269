// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.proxy;

/** Follows the last message of an input that ended between two messages. */
public enum EndOfInput {
  /** The only one. */
  END
}
