// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;

/**
 * The reason for which a running sandbox stands still: a disk of the host. The guest has lost
 * nothing; its write waits.
 *
 * @param cause the kind of reason
 * @param detail the reason, for people
 * @param remedy what to do, for people
 */
public record Standstill(Cause cause, String detail, String remedy) {
  /** The kinds of reasons. */
  public enum Cause {
    /** A file system of the host is full, or so full that the host stopped the guest in time. */
    NO_SPACE,
    /** A read or write of the disk failed on the host. */
    DISK_ERROR
  }

  /** Returns the error for a call that needs the guest. */
  public RametException error(String sandboxId) {
    return cause == Cause.NO_SPACE
        ? new RametException(
            ErrorCode.NO_SPACE, "sandbox " + sandboxId + " stands still: " + detail, remedy, null)
        : new RametException(
            ErrorCode.HOST_UNFIT,
            "sandbox " + sandboxId + " stands still after a disk error: " + detail,
            remedy,
            null);
  }
}
