// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.templates.TemplateTag;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Looks up, tags and deletes existing templates as versions of their names. Thread-safe. */
public final class TemplateVersions {
  /** The word for a template in errors. */
  public static final String KIND = "template";

  private final SnapshotStore store;
  private final SnapshotReclaimer reclaimer;

  public TemplateVersions(SnapshotStore store, SnapshotReclaimer reclaimer) {
    this.store = store;
    this.reclaimer = reclaimer;
  }

  private static boolean isTemplate(SnapshotRecord record) {
    return record.kind() == SnapshotRecord.Kind.TEMPLATE;
  }

  public SnapshotRecord get(String reference) {
    return store
        .names()
        .resolve(reference)
        .filter(TemplateVersions::isTemplate)
        .orElseThrow(() -> store.names().notFound(KIND, reference));
  }

  /** Returns all templates that share this one's name. */
  public List<SnapshotRecord> versionsOf(String reference) {
    List<SnapshotRecord> found =
        store.names().versions(reference).stream().filter(TemplateVersions::isTemplate).toList();
    if (found.isEmpty()) {
      throw store.names().notFound(KIND, reference);
    }
    return found;
  }

  /** Returns the tags of all templates that share this one's name. */
  public List<TemplateTag> tags(String reference) {
    return versionsOf(reference).stream()
        .flatMap(TemplateVersions::tags)
        .sorted(Comparator.comparing(TemplateTag::tag))
        .toList();
  }

  private static Stream<TemplateTag> tags(SnapshotRecord record) {
    return record.name() == null
        ? Stream.of(new TemplateTag(TaggedName.DEFAULT, record.id(), record.createdAt()))
        : record.tags().entrySet().stream()
            .map(tag -> new TemplateTag(tag.getKey(), record.id(), tag.getValue()));
  }

  public SnapshotRecord tag(String reference, List<String> tags) {
    return store.tags().assign(get(reference), tags);
  }

  public void untag(String reference, List<String> tags) {
    store.tags().remove(KIND, versionsOf(reference), tags);
  }

  /** Deletes the templates that a reference means. */
  public void delete(String reference) {
    List<SnapshotRecord> found =
        store.names().resolveAll(reference).stream().filter(TemplateVersions::isTemplate).toList();
    if (found.isEmpty()) {
      throw store.names().notFound(KIND, reference);
    }
    found.forEach(reclaimer::delete);
  }

  /** Returns the templates that have one of the tags now. */
  public List<SnapshotRecord> holders(TaggedName version) {
    return version.tags().stream()
        .flatMap(tag -> store.names().holder(version.alias(), tag).stream())
        .distinct()
        .toList();
  }

  /**
   * Deletes the earlier versions from which a new build has taken every tag they had when it began.
   */
  public void deleteSuperseded(List<SnapshotRecord> before, SnapshotRecord made) {
    for (SnapshotRecord old : before) {
      boolean bare = store.find(old.id()).filter(now -> now.tags().isEmpty()).isPresent();
      if (bare && made.tags().keySet().containsAll(old.tags().keySet())) {
        reclaimer.delete(old);
      }
    }
  }
}
