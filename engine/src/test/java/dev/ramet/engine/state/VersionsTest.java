// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.engine.state.SnapshotRecord.Kind;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests names shared by several templates or snapshots, and the tags that distinguish them. */
final class VersionsTest extends VersionsGround {
  private static void refused(ErrorCode code, Runnable what) {
    assertEquals(code, assertThrows(RametException.class, what::run).code());
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
        "the tags of web are default, v2", store.names().notFound("template", "web:v3").remedy());
    assertEquals(List.of(), store.names().resolveAll("web:v3"));
    assertEquals(1, store.names().resolveAll("web:v2").size());
    assertEquals(1, store.names().resolveAll(first).size());
    assertEquals(2, store.names().resolveAll("web").size());
  }

  @Test
  void theErrorForAnUnknownTemplateSaysHowToGetOne() throws IOException {
    assertEquals(
        "this host has no template yet; build the default one, micro, with: ramet template build",
        store.names().notFound("template", "micro").remedy());
    publish(Kind.SNAPSHOT, "kept");
    assertEquals(null, store.names().notFound("snapshot", "micro").remedy());
    publish(Kind.TEMPLATE, "web");
    assertEquals(
        "list the templates with: ramet template ls",
        store.names().notFound("template", "micro").remedy());
  }

  @Test
  void whatHasNoNameIsItsOwnDefault() throws IOException {
    String id = Ids.newId('s');
    store.beginSnapshot(id);
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
    assertEquals(16, store.names().withName("x").size());
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
    assertEquals("the tags of web are v2", store.names().notFound("template", "web").remedy());
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
  void aNameIsOfTemplatesOrOfSnapshots() throws IOException {
    publish(Kind.TEMPLATE, "web");
    TaggedName web = TaggedName.parse("name", "web:v2", List.of());
    refused(ErrorCode.ALREADY_EXISTS, () -> store.names().reserve(web, Kind.SNAPSHOT, false));
    store.names().reserve(web, Kind.TEMPLATE, true).close();
    TaggedName plain = TaggedName.parse("name", "web", List.of());
    refused(ErrorCode.ALREADY_EXISTS, () -> store.names().reserve(plain, Kind.TEMPLATE, true));
    store.names().reserve(plain, Kind.TEMPLATE, false).close();

    TaggedName x = TaggedName.parse("name", "x", List.of());
    try (SnapshotNames.Reservation one = store.names().reserve(x, Kind.SNAPSHOT, false);
        SnapshotNames.Reservation two = store.names().reserve(x, Kind.SNAPSHOT, false)) {
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
    assertEquals(Set.of("default"), TaggedName.parse("name", "web", List.of()).tags());
    assertEquals(Set.of("v1"), TaggedName.parse("name", "web:v1", List.of("v1")).tags());
    assertEquals(Set.of("a", "b"), TaggedName.parse("name", "web", List.of("b", "a")).tags());
    assertEquals("web:a,b", TaggedName.parse("name", "web:a", List.of("b")).toString());
    assertEquals("web", TaggedName.parse("name", "web:default", List.of()).toString());
    for (String bad : List.of("", ":", "web:", ":v1", "a:b:c", "a b", "web:v 1", "team/web")) {
      refused(ErrorCode.INVALID_ARGUMENT, () -> TaggedName.parse("name", bad, List.of()));
    }
    refused(
        ErrorCode.INVALID_ARGUMENT, () -> TaggedName.parse("name", "web", List.of("x".repeat(65))));
  }
}
