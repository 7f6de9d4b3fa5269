// SPDX-License-Identifier: Apache-2.0
package dev.ramet.errors;

import org.jspecify.annotations.Nullable;

/**
 * The one exception of Ramet's contracts. {@link #code()} decides HTTP status, exit status and
 * whether a retry makes sense; the message names what happened and to what; the remedy, where there
 * is one, says what to do about it.
 */
public final class RametException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final @Nullable String remedy;

  /** An error without a remedy or cause. */
  public RametException(ErrorCode code, String message) {
    this(code, message, null, null);
  }

  /** An error with a cause. */
  public RametException(ErrorCode code, String message, @Nullable Throwable cause) {
    this(code, message, null, cause);
  }

  /**
   * An error.
   *
   * @param code what kind of error
   * @param message what happened, to what, in one sentence for a person
   * @param remedy what to do about it, or null when there is nothing to say
   * @param cause the underlying failure, or null
   */
  public RametException(
      ErrorCode code, String message, @Nullable String remedy, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.remedy = remedy;
  }

  /** The stable code. */
  public ErrorCode code() {
    return code;
  }

  /** What to do about it, or null. */
  public @Nullable String remedy() {
    return remedy;
  }

  /** A caller's mistake in one field of a request. */
  public static RametException invalid(String field, String problem) {
    return new RametException(ErrorCode.INVALID_ARGUMENT, field + ": " + problem);
  }

  /** Something named that does not exist. */
  public static RametException notFound(String kind, String id) {
    return new RametException(ErrorCode.NOT_FOUND, kind + " not found: " + id);
  }
}
