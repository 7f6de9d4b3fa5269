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
 * Resolves references to snapshots and templates. Several of one kind may share a name and are
 * distinguished by tags; a template and a snapshot never share a name. Thread-safe; changes to
 * names hold the store's monitor.
 */
public final class SnapshotNames {
  private static final int MAX_TOLD = 20;

  private final SnapshotStore store;
  private final List<Reserved> reserved = new ArrayList<>();

  SnapshotNames(SnapshotStore store) {
    this.store = store;
  }

  /** A name reserved for an operation whose record will carry it. */
  private record Reserved(TaggedName version, SnapshotRecord.Kind kind, boolean vacant) {}

  /** A reservation of a name; closing it releases the name. */
  public interface Reservation extends AutoCloseable {
    @Override
    void close();
  }

  /** Resolves a reference; deleted and hidden records are never found. */
  public Optional<SnapshotRecord> resolve(String text) {
    Reference reference = Reference.parse(text);
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
   * Returns the records to delete when a user deletes a reference: a name without a tag stands for
   * all its versions, anything else for one.
   */
  public List<SnapshotRecord> resolveAll(String text) {
    Reference reference = Reference.parse(text);
    return reference.tag() == null && exact(reference) == null
        ? withName(reference.base())
        : resolve(text).stream().toList();
  }

  /**
   * Returns all versions that share the name in a reference, or the name of the record it refers
   * to; newest first.
   */
  List<SnapshotRecord> versions(String text) {
    Reference reference = Reference.parse(text);
    SnapshotRecord exact = exact(reference);
    String name = exact == null ? reference.base() : exact.name();
    return name == null && exact != null ? List.of(exact) : withName(String.valueOf(name));
  }

  private @Nullable SnapshotRecord exact(Reference reference) {
    return store.find(reference.base()).filter(SnapshotStore::visible).orElse(null);
  }

  /** Returns all records of that name, newest first. */
  List<SnapshotRecord> withName(String name) {
    return store.all().stream()
        .filter(record -> SnapshotStore.visible(record) && name.equals(record.name()))
        .sorted(Comparator.comparing(SnapshotRecord::createdAt).reversed())
        .toList();
  }

  /** Returns the record of that name that has the tag. */
  Optional<SnapshotRecord> holder(String name, String tag) {
    return store.all().stream()
        .filter(record -> SnapshotStore.visible(record) && name.equals(record.name()))
        .filter(record -> record.tags().containsKey(tag))
        .max(claim(tag));
  }

  /** Orders claims to a tag by the time of assignment; the latest claim wins. */
  static Comparator<SnapshotRecord> claim(String tag) {
    return Comparator.comparing(
            (SnapshotRecord record) -> record.tags().getOrDefault(tag, Instant.MIN))
        .thenComparing(SnapshotRecord::createdAt)
        .thenComparing(SnapshotRecord::id);
  }

  /**
   * Returns the error for a reference that matches nothing, with a remedy that lists the existing
   * tags, or says how to build a template if there is none.
   *
   * @param kind the word for such a record
   */
  public RametException notFound(String kind, String text) {
    List<SnapshotRecord> versions = versions(text);
    if (versions.isEmpty()) {
      return new RametException(
          ErrorCode.NOT_FOUND, kind + " not found: " + text, templateRemedy(kind, text), null);
    }
    TreeSet<String> tags = new TreeSet<>();
    versions.forEach(record -> tags.addAll(record.tags().keySet()));
    String name = versions.get(0).name();
    String told = String.join(", ", tags.stream().limit(MAX_TOLD).toList());
    String more = tags.size() > MAX_TOLD ? " and " + (tags.size() - MAX_TOLD) + " more" : "";
    return new RametException(
        ErrorCode.NOT_FOUND,
        kind + " not found: " + text,
        name == null
            ? "it has no name, so its only tag is " + TaggedName.DEFAULT
            : tags.isEmpty()
                ? "no version of " + name + " has a tag; use their ids"
                : "the tags of " + name + " are " + told + more,
        null);
  }

  private @Nullable String templateRemedy(String kind, String text) {
    if (!kind.equals(TemplateVersions.KIND)) {
      return null;
    }
    if (isBeingBuilt(Reference.parse(text).base())) {
      return "it is being built now: see ramet operation ls, and try again when that has ended";
    }
    boolean any =
        store.all().stream()
            .anyMatch(one -> one.kind() == SnapshotRecord.Kind.TEMPLATE && !one.deleted());
    return any
        ? "list the templates with: ramet template ls"
        : "this host has no template yet; build the default one, micro, with: ramet template build";
  }

  private boolean isBeingBuilt(String name) {
    synchronized (store) {
      return reserved.stream()
          .anyMatch(
              one ->
                  one.kind() == SnapshotRecord.Kind.TEMPLATE && one.version().alias().equals(name));
    }
  }

  /**
   * Reserves a name for an operation until its record carries the name. Null is always free.
   *
   * @param vacant whether the tags must be unused; if not, they are taken from the versions that
   *     have them
   * @throws RametException {@code ALREADY_EXISTS} when the other kind uses the name, or the tags
   *     are used but must not be
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
        if (same && (other.kind() != kind || (exclusive && overlaps(version, other.version())))) {
          throw nameTaken(version);
        }
      }
      for (SnapshotRecord record : withName(version.alias())) {
        boolean free = Collections.disjoint(record.tags().keySet(), version.tags());
        if (record.kind() != kind || (vacant && !free)) {
          throw nameTaken(version);
        }
      }
      reserved.add(wanted);
    }
    return () -> releaseReservation(wanted);
  }

  private void releaseReservation(Reserved wanted) {
    synchronized (store) {
      // Removes only one reservation: two snapshots of one name may be under way.
      reserved.remove(wanted);
    }
  }

  private static boolean overlaps(TaggedName a, TaggedName b) {
    return !Collections.disjoint(a.tags(), b.tags());
  }

  private static RametException nameTaken(TaggedName version) {
    return new RametException(
        ErrorCode.ALREADY_EXISTS,
        "the name " + version + " is taken by another snapshot or template",
        "delete that one first, or choose another name",
        null);
  }
}
