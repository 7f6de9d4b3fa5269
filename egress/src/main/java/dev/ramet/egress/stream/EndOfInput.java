// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.stream;

/** Marks the end of an input that ended after a complete message. */
public enum EndOfInput {
  /** The only instance. */
  END
}
