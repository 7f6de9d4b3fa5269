// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

/** The reason why a QMP command has no result. Checked, so that the driver must translate it. */
public final class QmpException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The kinds of failures. */
  public enum Kind {
    /** QEMU answered with an error. */
    REFUSED,
    /** The connection ended, which means that the process has exited or is about to. */
    CLOSED,
    /** No answer came in time. */
    TIMEOUT,
    /** The waiting thread was interrupted. */
    INTERRUPTED
  }

  private final Kind kind;

  QmpException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** Returns the failure of something that waited when the connection ended. */
  static QmpException closed(String what) {
    return new QmpException(Kind.CLOSED, what + ": the monitor connection ended");
  }

  public Kind kind() {
    return kind;
  }
}
