// SPDX-License-Identifier: Apache-2.0
package dev.ramet.errors;

/** The party that must act when an operation fails. */
public enum ErrorKind {
  /**
   * The request is wrong or does not fit the current state; repeating it unchanged is pointless.
   */
  CALLER,
  /** The host lacks something (space, a kernel feature, a program); its operator must act. */
  HOST,
  /** The same request may succeed later without anybody acting. */
  TRANSIENT,
  /** A defect of Ramet or of a plugin. */
  INTERNAL
}
