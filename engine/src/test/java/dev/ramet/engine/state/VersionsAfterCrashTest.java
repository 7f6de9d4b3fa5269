// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.state.SnapshotRecord.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks names and tags after a host was killed, and after manifests were damaged. */
final class VersionsAfterCrashTest extends VersionsGround {
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
    assertEquals(2, store.names().withName("x").size());
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
}
