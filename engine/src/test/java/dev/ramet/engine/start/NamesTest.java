// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.sandboxes.Sandboxes.LabelChange;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests names and labels of sandboxes. */
@Timeout(180)
class NamesTest {
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F', 2};

  @TempDir Path root;
  private MicroGround ground;

  @BeforeEach
  void open() throws Exception {
    ground = new MicroGround(root);
    ground.template("named", ELF, false);
  }

  @AfterEach
  void close() {
    ground.close();
  }

  private Sandboxes sandboxes() {
    return ground.engine.sandboxes();
  }

  private Sandbox create(String name) {
    return sandboxes()
        .create(NewSandbox.of("named").name(name).metadata(Map.of("owner", "ci")).build());
  }

  private static LabelChange rename(String name) {
    return new LabelChange(name, Map.of(), Set.of());
  }

  private static ErrorCode code(Runnable call) {
    return assertThrows(RametException.class, call::run).code();
  }

  @Test
  void aNameStandsForTheId() {
    Sandbox web = create("web");
    assertEquals("web", web.name());
    assertEquals(web.id(), sandboxes().get("web").id());
    Snapshot before = ground.engine.snapshots().create("web", "before");
    assertEquals(web.id(), before.sandboxId());
    assertEquals(1, ground.engine.snapshots().list("web").size());
    sandboxes().pause("web", true);
    sandboxes().resume("web", null, true);
    sandboxes().restart("web");
    sandboxes().setLabel("web", rename("api"));
    sandboxes().rollback("api", "before");
    assertEquals("api", sandboxes().get(web.id()).name(), "a rollback keeps the name");
    assertEquals(Map.of("owner", "ci"), sandboxes().get("api").metadata());
    assertEquals(ErrorCode.NOT_FOUND, code(() -> sandboxes().get("web")));
    sandboxes().kill("api");
    assertEquals(ErrorCode.NOT_FOUND, code(() -> sandboxes().get("api")));
  }

  @Test
  void aNameBelongsToOneSandbox() {
    create("web");
    int machines = sandboxes().list().size();
    assertEquals(ErrorCode.ALREADY_EXISTS, code(() -> create("web")));
    assertEquals(machines, sandboxes().list().size());
    Sandbox api = create("api");
    assertEquals(ErrorCode.ALREADY_EXISTS, code(() -> sandboxes().setLabel("api", rename("web"))));
    assertEquals("api", sandboxes().get(api.id()).name());
    sandboxes().setLabel("api", rename("api"));
    Sandbox clone = sandboxes().clone("web", new CloneRequest(1, 1, null)).sandboxes().get(0);
    assertNull(clone.name(), "a clone has its own labels, and no name");
    assertEquals(Map.of("owner", "ci"), clone.metadata());
    sandboxes().kill("web");
    sandboxes().setLabel("api", rename("web"));
    assertEquals(api.id(), sandboxes().get("web").id());
    sandboxes().setLabel("web", rename(""));
    assertNull(sandboxes().get(api.id()).name());
    assertEquals("web", create("web").name());
  }

  @Test
  void aNameThatCouldNotStandInAHostNameIsRefused() {
    Sandbox web = create("web");
    for (String bad :
        List.of(
            "Web", "a_b", "a.b", "-a", "a-", "a".repeat(58), web.id(), "i0123456789abcdefghi")) {
      assertEquals(
          ErrorCode.INVALID_ARGUMENT, code(() -> sandboxes().setLabel("web", rename(bad))), bad);
      assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> create(bad)), bad);
    }
    assertEquals("web", sandboxes().get(web.id()).name());
    assertEquals(1, sandboxes().list().size());
  }

  @Test
  void ofTwoAtOnceOneGetsTheName() {
    List<String> ids = List.of(create("one").id(), create("two").id());
    List<CompletableFuture<Boolean>> attempts = new ArrayList<>();
    for (String id : ids) {
      attempts.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  sandboxes().setLabel(id, rename("wanted"));
                  return true;
                } catch (RametException e) {
                  return false;
                }
              }));
    }
    assertEquals(1, attempts.stream().filter(CompletableFuture::join).count());
    assertEquals(1, sandboxes().list().stream().filter(s -> "wanted".equals(s.name())).count());
  }

  @Test
  void labelsAreSetAndRemovedOneByOne() {
    create("web");
    sandboxes().setLabel("web", new LabelChange(null, Map.of("stage", "test", "a", "1"), Set.of()));
    Sandbox changed =
        sandboxes().setLabel("web", new LabelChange(null, Map.of("a", "2"), Set.of("owner")));
    assertEquals(Map.of("stage", "test", "a", "2"), changed.metadata());
    assertEquals("web", changed.name());
    sandboxes().pause("web", true);
    sandboxes().setLabel("web", new LabelChange("still", Map.of("b", "3"), Set.of()));
    assertEquals(3, sandboxes().resume("still", null, true).metadata().size());
  }
}
