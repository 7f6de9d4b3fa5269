// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.support.Reference;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What people's names mean: several templates, or several snapshots, may have one name, and are
 * told apart by tags. A name is never that of a template and of a snapshot. Thread-safe; what
 * changes names holds the store's monitor.
 */
public final class Names {
  private static final int MOST_TOLD = 20;

  private final SnapshotStore store;
  private final List<Reserved> reserved = new ArrayList<>();

  Names(SnapshotStore store) {
    this.store = store;
  }

  /** A name of something under way, whose record will carry it. */
  private record Reserved(TaggedName version, SnapshotRecord.Kind kind, boolean vacant) {}

  /** A name that nobody else can take meanwhile. */
  public interface Reservation extends AutoCloseable {
    @Override
    void close();
  }

  /** What a user means by a reference; deleted and hidden ones are not meant. */
  public Optional<SnapshotRecord> resolve(String text) {
    Reference reference = Reference.of(text);
    SnapshotRecord exact = exact(reference);
    if (exact == null) {
      return holder(reference.base(), reference.tagOrDefault());
    }
    String tag = reference.tag();
    String name = exact.name();
    if (tag == null || (name == null && tag.equals(TaggedName.DEFAULT))) {
      return Optional.of(exact);
    }
    return name == null ? Optional.empty() : holder(name, tag);
  }

  /**
   * What goes when a user deletes what a reference means: a name without a tag stands for all its
   * versions, anything else for one.
   */
  public List<SnapshotRecord> resolveAll(String text) {
    Reference reference = Reference.of(text);
    return reference.tag() == null && exact(reference) == null
        ? of(reference.base())
        : resolve(text).stream().toList();
  }

  /** All that share the name which a reference has or leads to; the youngest first. */
  List<SnapshotRecord> versions(String text) {
    Reference reference = Reference.of(text);
    SnapshotRecord exact = exact(reference);
    String name = exact == null ? reference.base() : exact.name();
    return name == null && exact != null ? List.of(exact) : of(String.valueOf(name));
  }

  private @Nullable SnapshotRecord exact(Reference reference) {
    return store.find(reference.base()).filter(SnapshotStore::visible).orElse(null);
  }

  /** All of that name, the youngest first. */
  List<SnapshotRecord> of(String name) {
    return store.all().stream()
        .filter(record -> SnapshotStore.visible(record) && name.equals(record.name()))
        .sorted(Comparator.comparing(SnapshotRecord::createdAt).reversed())
        .toList();
  }

  /** Which of that name has the tag. */
  Optional<SnapshotRecord> holder(String name, String tag) {
    return store.all().stream()
        .filter(record -> SnapshotStore.visible(record) && name.equals(record.name()))
        .filter(record -> record.tags().containsKey(tag))
        .max(claim(tag));
  }

  /** Of those that claim a tag, the greatest has it. */
  static Comparator<SnapshotRecord> claim(String tag) {
    return Comparator.comparing(
            (SnapshotRecord record) -> record.tags().getOrDefault(tag, Instant.MIN))
        .thenComparing(SnapshotRecord::createdAt)
        .thenComparing(SnapshotRecord::id);
  }

  /**
   * What to say where a reference means nothing.
   *
   * @param kind what to call it
   */
  public RametException missing(String kind, String text) {
    List<SnapshotRecord> versions = versions(text);
    if (versions.isEmpty()) {
      return RametException.notFound(kind, text);
    }
    TreeSet<String> tags = new TreeSet<>();
    versions.forEach(record -> tags.addAll(record.tags().keySet()));
    String name = versions.get(0).name();
    String told = String.join(", ", tags.stream().limit(MOST_TOLD).toList());
    String more = tags.size() > MOST_TOLD ? " and " + (tags.size() - MOST_TOLD) + " more" : "";
    return new RametException(
        ErrorCode.NOT_FOUND,
        kind + " not found: " + text,
        name == null
            ? "it has no name, and no tags but " + TaggedName.DEFAULT
            : tags.isEmpty()
                ? "no version of " + name + " has a tag; they are reached by their ids"
                : "the tags of " + name + " are " + told + more,
        null);
  }

  /**
   * Holds a name for something under way, until its record carries it. Null is always free.
   *
   * @param vacant whether nothing may have its tags; else it takes them from whoever does
   * @throws RametException {@code ALREADY_EXISTS} when the name is of the other kind, or not vacant
   */
  public Reservation reserve(
      @Nullable TaggedName version, SnapshotRecord.Kind kind, boolean vacant) {
    if (version == null) {
      return () -> {};
    }
    Reserved wanted = new Reserved(version, kind, vacant);
    synchronized (store) {
      for (Reserved other : reserved) {
        boolean same = other.version().alias().equals(version.alias());
        boolean exclusive = vacant || other.vacant();
        if (same && (other.kind() != kind || (exclusive && overlap(version, other.version())))) {
          throw taken(version);
        }
      }
      for (SnapshotRecord record : of(version.alias())) {
        boolean free = Collections.disjoint(record.tags().keySet(), version.tags());
        if (record.kind() != kind || (vacant && !free)) {
          throw taken(version);
        }
      }
      reserved.add(wanted);
    }
    return () -> release(wanted);
  }

  private void release(Reserved wanted) {
    synchronized (store) {
      // Only one of them: two snapshots of one name may be under way.
      reserved.remove(wanted);
    }
  }

  private static boolean overlap(TaggedName a, TaggedName b) {
    return !Collections.disjoint(a.tags(), b.tags());
  }

  private static RametException taken(TaggedName version) {
    return new RametException(
        ErrorCode.ALREADY_EXISTS,
        "the name " + version + " is taken by another snapshot or template",
        "remove that one first, or give another name",
        null);
  }
}
