// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import dev.ramet.errors.RametException;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What something new is to be called: a name, which several templates may share as versions of one,
 * and the tags that tell this one from the others. Immutable and thread-safe.
 *
 * @param alias the name
 * @param tags its tags, in order; none for a version that is reached by its id alone
 */
public record TaggedName(String alias, SortedSet<String> tags) {
  /** The tag of whatever is named without one. */
  public static final String DEFAULT = "default";

  /** Copies the tags. */
  public TaggedName {
    tags = Collections.unmodifiableSortedSet(new TreeSet<>(tags));
  }

  /**
   * What a person asks for.
   *
   * @param field what to call the name in an error
   * @param name a name, or a name and a tag with a colon between them
   * @param more further tags, or none; where neither tells any, it is {@link #DEFAULT}
   * @throws RametException {@code INVALID_ARGUMENT} when one of them is none
   */
  public static TaggedName of(String field, String name, Collection<String> more) {
    int colon = name.indexOf(':');
    TreeSet<String> tags = new TreeSet<>();
    if (colon >= 0) {
      tags.add(Ids.checkName(field, name.substring(colon + 1)));
    }
    more.forEach(tag -> tags.add(Ids.checkName("tags", tag)));
    if (tags.isEmpty()) {
      tags.add(DEFAULT);
    }
    return new TaggedName(Ids.checkName(field, colon < 0 ? name : name.substring(0, colon)), tags);
  }

  /** The same where a name may be missing; null then. */
  public static @Nullable TaggedName ofNullable(String field, @Nullable String name) {
    return name == null ? null : of(field, name, Collections.emptyList());
  }

  /** The tags, each assigned at this instant. */
  public Map<String, Instant> assigned(Instant at) {
    Map<String, Instant> assigned = new TreeMap<>();
    tags.forEach(tag -> assigned.put(tag, at));
    return assigned;
  }

  /** What a person would write for it. */
  @Override
  public String toString() {
    boolean plain = tags.isEmpty() || (tags.size() == 1 && tags.contains(DEFAULT));
    return plain ? alias : alias + ":" + String.join(",", tags);
  }
}
