// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.state.SnapshotRecord.Kind;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ground for tests of names and tags: a store that can be reopened, and whose host can die at a
 * step.
 */
abstract class VersionsGround {
  @TempDir Path directory;
  Layout layout = new Layout(Path.of(""));
  SnapshotStore store = new SnapshotStore(layout, step -> {});
  String fatal = "";

  /** Thrown by a step to simulate that the host is killed there: nothing after it is done. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @BeforeEach
  void open() throws IOException {
    layout = new Layout(directory);
    reopen();
  }

  void reopen() throws IOException {
    fatal = "";
    store =
        new SnapshotStore(
            layout,
            step -> {
              if (step.equals(fatal)) {
                throw new Killed();
              }
            });
    store.load();
  }

  static SnapshotRecord record(String id, Kind kind, String name, Instant createdAt) {
    TaggedName version = TaggedName.parse("name", name, List.of());
    return SnapshotRecord.builder()
        .id(id)
        .kind(kind)
        .name(version.alias())
        .tags(version.assigned(createdAt))
        .createdAt(createdAt)
        .cpuCount(1)
        .memoryBytes(1)
        .diskBytes(1)
        .kernelArguments("")
        .warm(false)
        .deleted(false)
        .pending(false)
        .build();
  }

  String publish(Kind kind, String name) throws IOException {
    String id = Ids.newId(kind == Kind.TEMPLATE ? 't' : 's');
    store.beginSnapshot(id);
    store.publish(record(id, kind, name, Instant.now()), true);
    return id;
  }

  String meant(String reference) {
    return store.names().resolve(reference).map(SnapshotRecord::id).orElse("nothing");
  }

  Set<String> tags(String id) {
    return store.find(id).orElseThrow().tags().keySet();
  }

  /** Returns the tags in the manifest on disk. */
  Set<String> written(String id) throws IOException {
    return Manifests.snapshot(layout.snapshot(id)).tags().keySet();
  }

  void assign(String reference, String... tags) {
    store.tags().assign(store.names().resolve(reference).orElseThrow(), List.of(tags));
  }

  void remove(String reference, String... tags) {
    store.tags().remove("template", store.names().versions(reference), List.of(tags));
  }
}
