// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.operation;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An operation that the host runs or ran, with its progress. Times are RFC 3339 in UTC. Immutable
 * and thread-safe if its list is.
 *
 * @param operationID its id, which also appears in the host's log
 * @param kind the kind of operation, such as {@code sandbox.clone}
 * @param subject id or name of the object it works on
 * @param state {@code running}, {@code done}, {@code failed} or {@code cancelled}
 * @param startedAt when it began
 * @param endedAt when it ended, or null while it runs
 * @param step the current or last step; null for operations that do not report steps
 * @param doneBytes bytes copied so far; null for operations that copy nothing
 * @param totalBytes bytes to copy in total, or null
 * @param cancellable whether it can be cancelled while it runs
 * @param results ids of the objects it created
 * @param error why it failed or was cancelled, or null
 */
public record OperationInfo(
    String operationID,
    String kind,
    String subject,
    String state,
    String startedAt,
    @Nullable String endedAt,
    @Nullable String step,
    @Nullable Long doneBytes,
    @Nullable Long totalBytes,
    boolean cancellable,
    List<String> results,
    @Nullable ApiError error) {
  /** Returns an empty builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes the components by name. Numbers, collections and components that may be null need not be
   * set; {@link #build} fails without any of the others.
   */
  public static final class Builder {
    private @Nullable String operationID;
    private @Nullable String kind;
    private @Nullable String subject;
    private @Nullable String state;
    private @Nullable String startedAt;
    private @Nullable String endedAt;
    private @Nullable String step;
    private @Nullable Long doneBytes;
    private @Nullable Long totalBytes;
    private boolean cancellable;
    private List<String> results = List.of();
    private @Nullable ApiError error;

    private Builder() {}

    public Builder operationID(String value) {
      operationID = value;
      return this;
    }

    public Builder kind(String value) {
      kind = value;
      return this;
    }

    public Builder subject(String value) {
      subject = value;
      return this;
    }

    public Builder state(String value) {
      state = value;
      return this;
    }

    public Builder startedAt(String value) {
      startedAt = value;
      return this;
    }

    public Builder endedAt(@Nullable String value) {
      endedAt = value;
      return this;
    }

    public Builder step(@Nullable String value) {
      step = value;
      return this;
    }

    public Builder doneBytes(@Nullable Long value) {
      doneBytes = value;
      return this;
    }

    public Builder totalBytes(@Nullable Long value) {
      totalBytes = value;
      return this;
    }

    public Builder cancellable(boolean value) {
      cancellable = value;
      return this;
    }

    public Builder results(List<String> value) {
      results = value;
      return this;
    }

    public Builder error(@Nullable ApiError value) {
      error = value;
      return this;
    }

    /** Returns a record of the components. */
    public OperationInfo build() {
      return new OperationInfo(
          Objects.requireNonNull(operationID, "operationID"),
          Objects.requireNonNull(kind, "kind"),
          Objects.requireNonNull(subject, "subject"),
          Objects.requireNonNull(state, "state"),
          Objects.requireNonNull(startedAt, "startedAt"),
          endedAt,
          step,
          doneBytes,
          totalBytes,
          cancellable,
          results,
          error);
    }
  }
}
