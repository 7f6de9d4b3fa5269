// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A difference between two states of a workspace.
 *
 * @param differs the parts that differ: {@code type}, {@code content}, {@code mode}, {@code owner},
 *     {@code attributes}
 * @param before the entry in the earlier state, or null if there was none
 * @param after the entry in the later state, or null if there is none
 */
public record Change(
    Kind kind, List<String> differs, @Nullable Entry before, @Nullable Entry after) {
  /** Copies the list. */
  public Change {
    differs = List.copyOf(differs);
  }

  /** The kinds of changes. */
  public enum Kind {
    /** There was nothing before. */
    CREATED,
    /** There is nothing any more. */
    DELETED,
    /** The content or the type differs. */
    MODIFIED,
    /** Mode, owner or attributes differ, and the content does not. */
    METADATA,
    /** The same file or directory has another path. */
    RENAMED
  }
}
