// SPDX-License-Identifier: Apache-2.0
package dev.ramet.errors;

/**
 * Stable error codes. Each has a number that never changes, the {@link ErrorKind} that says who
 * must act, the HTTP status of the server's response, and the exit status of the command line. This
 * table is the only place that assigns them.
 */
public enum ErrorCode {
  /** A field of the request is missing, malformed or out of range. */
  INVALID_ARGUMENT(1, ErrorKind.CALLER, 400, 2),
  /** Credentials are missing or wrong. */
  UNAUTHENTICATED(2, ErrorKind.CALLER, 401, 2),
  /** The named thing does not exist. */
  NOT_FOUND(3, ErrorKind.CALLER, 404, 3),
  /** The name is taken. */
  ALREADY_EXISTS(4, ErrorKind.CALLER, 409, 4),
  /** The thing is busy or in a state that does not allow the operation. */
  CONFLICT(5, ErrorKind.CALLER, 409, 4),
  /** The request body is larger than the host accepts. */
  TOO_LARGE(6, ErrorKind.CALLER, 413, 2),
  /** This host or plugin cannot do it; the message says what would make it possible. */
  UNSUPPORTED(7, ErrorKind.HOST, 501, 5),
  /** A file system or device has no room left. */
  NO_SPACE(8, ErrorKind.HOST, 507, 5),
  /** A program, device or permission the operation needs is missing on this host. */
  HOST_UNFIT(9, ErrorKind.HOST, 500, 5),
  /** The data on disk is not what its manifest says. */
  CORRUPT(10, ErrorKind.HOST, 500, 5),
  /** The hypervisor refused, failed or died; the message carries the end of its log. */
  HYPERVISOR_FAILED(11, ErrorKind.HOST, 500, 5),
  /** The guest's agent does not respond. */
  GUEST_UNREACHABLE(12, ErrorKind.TRANSIENT, 502, 6),
  /** The operation did not finish in time. */
  DEADLINE_EXCEEDED(13, ErrorKind.TRANSIENT, 504, 6),
  /** The host is starting, stopping or cannot be reached. */
  UNAVAILABLE(14, ErrorKind.TRANSIENT, 503, 6),
  /** The caller cancelled the operation. */
  CANCELLED(15, ErrorKind.CALLER, 499, 130),
  /** A defect; the log has the stack trace. */
  INTERNAL(16, ErrorKind.INTERNAL, 500, 1),
  /** The credentials are valid but do not permit this request. */
  FORBIDDEN(17, ErrorKind.CALLER, 403, 2),
  /** The caller has sent too many requests; the response says when to retry. */
  RATE_LIMITED(18, ErrorKind.TRANSIENT, 429, 6),
  /** The idempotency key was already used for a different request. */
  KEY_REUSED(19, ErrorKind.CALLER, 422, 2),
  /** The request names a different host. */
  MISDIRECTED(20, ErrorKind.CALLER, 421, 2),
  /** The agent in the guest is of a version that cannot do this. */
  AGENT_TOO_OLD(21, ErrorKind.CALLER, 409, 4);

  private final int number;
  private final ErrorKind kind;
  private final int httpStatus;
  private final int exitStatus;

  ErrorCode(int number, ErrorKind kind, int httpStatus, int exitStatus) {
    this.number = number;
    this.kind = kind;
    this.httpStatus = httpStatus;
    this.exitStatus = exitStatus;
  }

  /** Returns the stable number of this code. */
  public int number() {
    return number;
  }

  /** Returns who must act. */
  public ErrorKind kind() {
    return kind;
  }

  /** Returns the HTTP status of the server's response. */
  public int httpStatus() {
    return httpStatus;
  }

  /** Returns the exit status of the command line. */
  public int exitStatus() {
    return exitStatus;
  }
}
