// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

/**
 * A system call cannot be made in another process, although the kernel would let this one trace it.
 * The process was left as it was found.
 */
public final class InjectionException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why not. */
  public enum Reason {
    /** Another processor, or a 32-bit program. */
    ARCHITECTURE,
    /** The process filters its system calls and would not survive, or not get, this one. */
    FILTERED,
    /** The process filters its system calls and this one may not read the filter. */
    FILTER_UNREADABLE,
    /** No thread could be stopped where it is safe. */
    NO_THREAD,
    /** The call was made and failed there. */
    CALL_FAILED
  }

  private final Reason reason;

  public InjectionException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Why not. */
  public Reason reason() {
    return reason;
  }
}
