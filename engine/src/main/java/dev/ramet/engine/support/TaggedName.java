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
 * The name and the tags of a new template or snapshot. Several versions may share the name, and the
 * tags distinguish them. Immutable and thread-safe.
 *
 * @param alias the name
 * @param tags its tags, in order; empty for a version that is reached only by its id
 */
public record TaggedName(String alias, SortedSet<String> tags) {
  /** The tag used when none is given. */
  public static final String DEFAULT = "default";

  /** Copies the tags. */
  public TaggedName {
    tags = Collections.unmodifiableSortedSet(new TreeSet<>(tags));
  }

  /**
   * Parses and checks the name and tags of a request.
   *
   * @param field the name's field for errors
   * @param name a name, or a name and a tag separated by a colon
   * @param more further tags; if neither the name nor this list has a tag, it is {@link #DEFAULT}
   * @throws RametException {@code INVALID_ARGUMENT} when the name or a tag is invalid
   */
  public static TaggedName parse(String field, String name, Collection<String> more) {
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

  /** Parses and checks an optional name; returns null for null. */
  public static @Nullable TaggedName ofNullable(String field, @Nullable String name) {
    return name == null ? null : parse(field, name, Collections.emptyList());
  }

  /** Returns the tags, each with this instant as the time of its assignment. */
  public Map<String, Instant> assigned(Instant at) {
    Map<String, Instant> assigned = new TreeMap<>();
    tags.forEach(tag -> assigned.put(tag, at));
    return assigned;
  }

  /** Returns the name as a person would write it. */
  @Override
  public String toString() {
    boolean plain = tags.isEmpty() || (tags.size() == 1 && tags.contains(DEFAULT));
    return plain ? alias : alias + ":" + String.join(",", tags);
  }
}
