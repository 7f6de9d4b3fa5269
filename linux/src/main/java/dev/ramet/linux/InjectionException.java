// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

/**
 * A system call could not be made in another process, although the kernel would let this process
 * trace it. The other process was left as it was found.
 */
public final class InjectionException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The reason why the call could not be made. */
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

  /** Returns the reason. */
  public Reason reason() {
    return reason;
  }
}
