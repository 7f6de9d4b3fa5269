// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.SnapshotRecord.Kind;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests names shared by several templates or snapshots, and the tags that distinguish them. */
class VersionsTest {
  @TempDir Path directory;
  private Layout layout = new Layout(Path.of(""));
  private SnapshotStore store = new SnapshotStore(layout, step -> {});
  private String fatal = "";

  /** Thrown by a step to simulate that the host is killed there: nothing after it is done. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @BeforeEach
  void open() throws IOException {
    layout = new Layout(directory);
    reopen();
  }

  private void reopen() throws IOException {
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

  private static SnapshotRecord record(String id, Kind kind, String name, Instant createdAt) {
    TaggedName version = TaggedName.of("name", name, List.of());
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

  private String publish(Kind kind, String name) throws IOException {
    String id = Ids.next(kind == Kind.TEMPLATE ? 't' : 's');
    store.begin(id);
    store.publish(record(id, kind, name, Instant.now()), true);
    return id;
  }

  private String meant(String reference) {
    return store.names().resolve(reference).map(SnapshotRecord::id).orElse("nothing");
  }

  private Set<String> tags(String id) {
    return store.find(id).orElseThrow().tags().keySet();
  }

  /** Returns the tags in the manifest on disk. */
  private Set<String> written(String id) throws IOException {
    return Manifests.snapshot(layout.snapshot(id)).tags().keySet();
  }

  private static void refused(ErrorCode code, Runnable what) {
    assertEquals(code, assertThrows(RametException.class, what::run).code());
  }

  private void assign(String reference, String... tags) {
    store.tags().assign(store.names().resolve(reference).orElseThrow(), List.of(tags));
  }

  private void remove(String reference, String... tags) {
    store.tags().remove("template", store.names().versions(reference), List.of(tags));
  }

  @Test
  void aReferenceMeansOneVersion() throws IOException {
    String first = publish(Kind.TEMPLATE, "web");
    String second = publish(Kind.TEMPLATE, "web:v2");
    assertEquals(first, meant("web"));
    assertEquals(first, meant("web:default"));
    assertEquals(second, meant("web:v2"));
    assertEquals(second, meant(second));
    assertEquals(first, meant(second + ":default"));
    assertEquals(second, meant(first + ":v2"));
    for (String none : List.of("web:v3", "web:", ":v2", "web:v2:v2", "other:v2", first + ":v3")) {
      assertEquals("nothing", meant(none), none);
    }
    assertEquals(
        "the tags of web are default, v2", store.names().missing("template", "web:v3").remedy());
    assertEquals(List.of(), store.names().resolveAll("web:v3"));
    assertEquals(1, store.names().resolveAll("web:v2").size());
    assertEquals(1, store.names().resolveAll(first).size());
    assertEquals(2, store.names().resolveAll("web").size());
  }

  @Test
  void whatHasNoNameIsItsOwnDefault() throws IOException {
    String id = Ids.next('s');
    store.begin(id);
    SnapshotRecord named = record(id, Kind.SNAPSHOT, "x", Instant.now());
    store.publish(
        named.imported(
            id,
            null,
            1,
            new dev.ramet.engine.state.ImageContent(
                new dev.ramet.engine.state.ImageContent.Image(1, ""), null)),
        false);
    assertEquals(id, meant(id + ":default"));
    assertEquals("nothing", meant(id + ":v1"));
    refused(ErrorCode.INVALID_ARGUMENT, () -> assign(id, "v1"));
  }

  @Test
  void theLastOneOfANameAndTagHasIt() throws IOException {
    String first = publish(Kind.SNAPSHOT, "x");
    String second = publish(Kind.SNAPSHOT, "x");
    assertEquals(second, meant("x"));
    assertEquals(Set.of(), written(first));
    assertEquals(first, meant(first), "the older one stays");
    reopen();
    assertEquals(second, meant("x"));
    assertEquals(Set.of(), tags(first), "and is the default of its name no more");
  }

  @Test
  void ofManyAtOnceOneHasTheTag() throws Exception {
    List<CompletableFuture<String>> begun = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      begun.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return publish(Kind.SNAPSHOT, "x");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }));
    }
    List<String> made = new ArrayList<>();
    for (CompletableFuture<String> one : begun) {
      made.add(one.get());
    }
    String holder = "";
    int holders = 0;
    for (String id : made) {
      if (!written(id).isEmpty()) {
        holder = id;
        holders++;
      }
    }
    assertEquals(1, holders);
    assertEquals(holder, meant("x"));
    reopen();
    assertEquals(holder, meant("x"));
    assertEquals(16, store.names().of("x").size());
  }

  @Test
  void tagsAreAssignedAndRemoved() throws IOException {
    String first = publish(Kind.TEMPLATE, "web");
    String second = publish(Kind.TEMPLATE, "web:v2");
    Instant since = store.find(second).orElseThrow().tags().get("v2");
    assign("web:v2", "stable", "v2", "default");
    assertEquals(Set.of("default", "stable", "v2"), written(second));
    assertEquals(since, store.find(second).orElseThrow().tags().get("v2"), "it had that");
    assertEquals(Set.of(), written(first));
    assign(first, "v1");
    assertEquals(first, meant("web:v1"));

    refused(ErrorCode.NOT_FOUND, () -> remove("web", "stable", "none"));
    refused(ErrorCode.INVALID_ARGUMENT, () -> remove("web", "sta ble"));
    refused(ErrorCode.INVALID_ARGUMENT, () -> assign("web", "a", "b:c"));
    refused(ErrorCode.INVALID_ARGUMENT, () -> assign("web"));
    String[] many = new String[1000];
    java.util.Arrays.setAll(many, i -> "t" + i);
    refused(ErrorCode.INVALID_ARGUMENT, () -> assign("web", many));
    assertEquals(Set.of("default", "stable", "v2"), written(second));

    remove(first, "stable", "v1", "default");
    assertEquals(Set.of("v2"), written(second));
    assertEquals(Set.of(), written(first));
    assertEquals("nothing", meant("web"));
    assertEquals("the tags of web are v2", store.names().missing("template", "web").remedy());
    assertEquals(2, store.names().resolveAll("web").size(), "none was deleted");
  }

  @Test
  void whatIsDeletedHasNoTags() throws IOException {
    String first = publish(Kind.SNAPSHOT, "x");
    String second = publish(Kind.SNAPSHOT, "x:v2");
    store.change(first, SnapshotRecord::asDeleted, true);
    assertEquals("nothing", meant("x"));
    String third = publish(Kind.SNAPSHOT, "x");
    // Like a snapshot that was withdrawn for its volume, when the volume was not taken after all.
    store.restore(first);
    assertEquals(third, meant("x"));
    assertEquals(Set.of(), written(first));
    store.change(second, SnapshotRecord::asDeleted, true);
    store.restore(second);
    assertEquals(second, meant("x:v2"));
  }

  @Test
  void aManifestOfBeforeThereWereTagsIsTheDefault() throws IOException {
    String id = publish(Kind.TEMPLATE, "web");
    String other = publish(Kind.TEMPLATE, "web:v2");
    Path manifest = layout.snapshot(id).resolve(Layout.MANIFEST);
    String text = Files.readString(manifest);
    String old = text.replaceFirst("\"tags\" : \\{[^}]*},\\s*", "");
    assertFalse(old.equals(text), text);
    Files.writeString(manifest, old);
    reopen();
    assertEquals(id, meant("web"));
    SnapshotRecord found = store.find(id).orElseThrow();
    assertEquals(Map.of("default", found.createdAt()), found.tags());
    assertEquals(other, meant("web:v2"));

    // Two old templates of one name: one was rebuilt, and the host was killed before the older was
    // deleted.
    Path second = layout.snapshot(other).resolve(Layout.MANIFEST);
    Files.writeString(
        second, Files.readString(second).replaceFirst("\"tags\" : \\{[^}]*},\\s*", ""));
    reopen();
    assertEquals(other, meant("web"), "the younger one");
    assertEquals(Set.of(), written(id));
    assertEquals(Set.of("default"), tags(other));
  }

  @Test
  void aManifestWhoseTagsAreDamagedIsLeftAlone() throws IOException {
    String id = publish(Kind.TEMPLATE, "web");
    Path manifest = layout.snapshot(id).resolve(Layout.MANIFEST);
    String text = Files.readString(manifest);
    for (String odd : List.of("{\"v1\":null}", "{\"v1\":\"soon\"}", "[]", "7")) {
      Files.writeString(manifest, text.replaceFirst("\"tags\" : \\{[^}]*}", "\"tags\" : " + odd));
      reopen();
      assertEquals("nothing", meant("web"), odd);
      assertTrue(Files.exists(manifest));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tags.assign", "tags.strip"})
  void aHostThatIsKilledInAMoveLeavesTheTagWithOne(String step) throws IOException {
    String first = publish(Kind.TEMPLATE, "web");
    String second = publish(Kind.TEMPLATE, "web:v2");
    fatal = step;
    assertThrows(Killed.class, () -> assign("web:v2", "default"));
    reopen();
    String holder = meant("web");
    assertEquals(step.equals("tags.assign") ? first : second, holder);
    for (String id : List.of(first, second)) {
      assertEquals(id.equals(holder), tags(id).contains("default"));
      assertEquals(tags(id), written(id), "the start has finished the move");
    }
    assertEquals(second, meant("web:v2"));
  }

  @Test
  void aHostThatIsKilledAfterPublishingHasMovedTheTag() throws IOException {
    String first = publish(Kind.SNAPSHOT, "x");
    fatal = "tags.strip";
    assertThrows(Killed.class, () -> publish(Kind.SNAPSHOT, "x"));
    assertEquals(Set.of("default"), written(first));
    reopen();
    assertEquals(Set.of(), written(first));
    assertFalse(meant("x").equals(first));
    assertEquals(2, store.names().of("x").size());
  }

  @Test
  void aHostThatIsKilledInARemovalHasRemovedItOrNot() throws IOException {
    String id = publish(Kind.TEMPLATE, "web");
    fatal = "tags.remove";
    assertThrows(Killed.class, () -> remove("web", "default"));
    reopen();
    assertEquals(id, meant("web"));
  }

  @Test
  void aClockThatWentBackGivesNoTagBack() throws IOException {
    String first = publish(Kind.SNAPSHOT, "x");
    Instant future = Instant.now().plus(Duration.ofDays(1000));
    store.change(first, now -> now.tagged(Map.of("default", future)), true);
    reopen();
    String second = publish(Kind.SNAPSHOT, "x");
    assertEquals(second, meant("x"));
    reopen();
    assertEquals(second, meant("x"));
  }

  @Test
  void aNameIsOfTemplatesOrOfSnapshots() throws IOException {
    publish(Kind.TEMPLATE, "web");
    TaggedName web = TaggedName.of("name", "web:v2", List.of());
    refused(ErrorCode.ALREADY_EXISTS, () -> store.names().reserve(web, Kind.SNAPSHOT, false));
    store.names().reserve(web, Kind.TEMPLATE, true).close();
    TaggedName plain = TaggedName.of("name", "web", List.of());
    refused(ErrorCode.ALREADY_EXISTS, () -> store.names().reserve(plain, Kind.TEMPLATE, true));
    store.names().reserve(plain, Kind.TEMPLATE, false).close();

    TaggedName x = TaggedName.of("name", "x", List.of());
    try (Names.Reservation one = store.names().reserve(x, Kind.SNAPSHOT, false);
        Names.Reservation two = store.names().reserve(x, Kind.SNAPSHOT, false)) {
      refused(ErrorCode.ALREADY_EXISTS, () -> store.names().reserve(x, Kind.TEMPLATE, false));
      refused(ErrorCode.ALREADY_EXISTS, () -> store.names().reserve(x, Kind.SNAPSHOT, true));
      two.close();
      refused(ErrorCode.ALREADY_EXISTS, () -> store.names().reserve(x, Kind.TEMPLATE, false));
      one.close();
      store.names().reserve(x, Kind.TEMPLATE, false).close();
    }
  }

  @Test
  void aNewNameMayCarryTags() {
    assertEquals(Set.of("default"), TaggedName.of("name", "web", List.of()).tags());
    assertEquals(Set.of("v1"), TaggedName.of("name", "web:v1", List.of("v1")).tags());
    assertEquals(Set.of("a", "b"), TaggedName.of("name", "web", List.of("b", "a")).tags());
    assertEquals("web:a,b", TaggedName.of("name", "web:a", List.of("b")).toString());
    assertEquals("web", TaggedName.of("name", "web:default", List.of()).toString());
    for (String bad : List.of("", ":", "web:", ":v1", "a:b:c", "a b", "web:v 1", "team/web")) {
      refused(ErrorCode.INVALID_ARGUMENT, () -> TaggedName.of("name", bad, List.of()));
    }
    refused(
        ErrorCode.INVALID_ARGUMENT, () -> TaggedName.of("name", "web", List.of("x".repeat(65))));
  }
}
