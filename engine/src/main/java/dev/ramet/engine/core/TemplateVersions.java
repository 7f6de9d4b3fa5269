// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.engine.TemplateTag;
import dev.ramet.engine.internal.Version;
import dev.ramet.engine.store.SnapshotRecord;
import dev.ramet.errors.RametException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Templates that are there, as versions of their names. Thread-safe. */
final class TemplateVersions {
  private static final String WHAT = "template";

  private final SnapshotStore store;
  private final Reclaimer reclaimer;

  TemplateVersions(SnapshotStore store, Reclaimer reclaimer) {
    this.store = store;
    this.reclaimer = reclaimer;
  }

  private static boolean fits(SnapshotRecord record) {
    return record.kind() == SnapshotRecord.Kind.TEMPLATE;
  }

  SnapshotRecord get(String reference) {
    return store
        .names()
        .resolve(reference)
        .filter(TemplateVersions::fits)
        .orElseThrow(() -> store.names().missing(WHAT, reference));
  }

  /** All that share the name of this one. */
  List<SnapshotRecord> all(String reference) {
    List<SnapshotRecord> found =
        store.names().versions(reference).stream().filter(TemplateVersions::fits).toList();
    if (found.isEmpty()) {
      throw RametException.notFound(WHAT, reference);
    }
    return found;
  }

  /** The tags of all that share the name of this one. */
  List<TemplateTag> tags(String reference) {
    return all(reference).stream()
        .flatMap(TemplateVersions::tags)
        .sorted(Comparator.comparing(TemplateTag::tag))
        .toList();
  }

  private static Stream<TemplateTag> tags(SnapshotRecord record) {
    return record.name() == null
        ? Stream.of(new TemplateTag(Version.DEFAULT, record.id(), record.createdAt()))
        : record.tags().entrySet().stream()
            .map(tag -> new TemplateTag(tag.getKey(), record.id(), tag.getValue()));
  }

  SnapshotRecord tag(String reference, List<String> tags) {
    return store.tags().assign(get(reference), tags);
  }

  void untag(String reference, List<String> tags) {
    store.tags().remove(WHAT, all(reference), tags);
  }

  /** Deletes what is meant. */
  void delete(String reference) {
    List<SnapshotRecord> found =
        store.names().resolveAll(reference).stream().filter(TemplateVersions::fits).toList();
    if (found.isEmpty()) {
      throw store.names().missing(WHAT, reference);
    }
    found.forEach(reclaimer::delete);
  }

  /** Those that have one of the tags now. */
  List<SnapshotRecord> holders(Version version) {
    return version.tags().stream()
        .flatMap(tag -> store.names().holder(version.alias(), tag).stream())
        .distinct()
        .toList();
  }

  /** Deletes those of which a build has taken every tag that they had when it began. */
  void giveWay(List<SnapshotRecord> before, SnapshotRecord made) {
    for (SnapshotRecord old : before) {
      boolean bare = store.find(old.id()).filter(now -> now.tags().isEmpty()).isPresent();
      if (bare && made.tags().keySet().containsAll(old.tags().keySet())) {
        reclaimer.delete(old);
      }
    }
  }
}
