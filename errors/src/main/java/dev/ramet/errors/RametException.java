// SPDX-License-Identifier: Apache-2.0
package dev.ramet.errors;

import org.jspecify.annotations.Nullable;

/**
 * The one exception of Ramet's contracts. {@link #code()} decides the HTTP status, the exit status
 * and whether a retry makes sense. The message says what happened and to what; the remedy, if there
 * is one, says what to do about it.
 */
public final class RametException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final @Nullable String remedy;
  private final @Nullable String field;

  /** Creates an error without a remedy or cause. */
  public RametException(ErrorCode code, String message) {
    this(code, message, null, null);
  }

  /** Creates an error with a cause. */
  public RametException(ErrorCode code, String message, @Nullable Throwable cause) {
    this(code, message, null, cause);
  }

  /**
   * Creates an error.
   *
   * @param code what kind of error
   * @param message what happened, to what, in one sentence for a person
   * @param remedy what to do about it, or null when there is nothing to say
   * @param cause the underlying failure, or null
   */
  public RametException(
      ErrorCode code, String message, @Nullable String remedy, @Nullable Throwable cause) {
    this(code, message, remedy, null, cause);
  }

  private RametException(
      ErrorCode code,
      String message,
      @Nullable String remedy,
      @Nullable String field,
      @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.remedy = remedy;
    this.field = field;
  }

  /** Returns the stable code. */
  public ErrorCode code() {
    return code;
  }

  /** Returns what to do about the error, or null. */
  public @Nullable String remedy() {
    return remedy;
  }

  /**
   * Returns the field of a request that is wrong, such as {@code memoryMB} or {@code
   * network.allowOut[0]}, or null. The message begins with it.
   */
  public @Nullable String field() {
    return field;
  }

  /** Returns this error as one about a field of a request; the message is to begin with it. */
  public RametException about(@Nullable String wrong) {
    return new RametException(code, String.valueOf(getMessage()), remedy, wrong, getCause());
  }

  /** Returns the error for a caller's mistake in one field of a request. */
  public static RametException invalid(String field, String problem) {
    return new RametException(
        ErrorCode.INVALID_ARGUMENT, field + ": " + problem, null, field, null);
  }

  /** Returns the error for an object that does not exist. */
  public static RametException notFound(String kind, String id) {
    return new RametException(ErrorCode.NOT_FOUND, kind + " not found: " + id);
  }
}
