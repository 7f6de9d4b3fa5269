// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.space.FillableMount;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests when the guard stops machines, on file systems in memory that the test fills. */
final class SpaceWatchTest {
  @TempDir private Path root;
  private final List<FillableMount> mounts = new ArrayList<>();
  private final FakeMachine vm = new FakeMachine("i1");
  private GuardGround ground;
  private SpaceWatch watch;

  @BeforeEach
  void open() throws Exception {
    ground = new GuardGround(root, Runnable::run);
    ground.sandbox("i1", vm);
    for (String name : List.of("first", "second")) {
      mounts.add(new FillableMount(root.resolve(name)));
    }
    FreeSpace space =
        new FreeSpace(mounts.stream().map(FillableMount::place).toList(), FillableMount.RESERVE);
    watch = new SpaceWatch(root, space, space, false, ground.machines, ground.gate, ground::nanos);
  }

  @AfterEach
  void close() {
    mounts.forEach(FillableMount::close);
  }

  private void assertHeld(boolean held) {
    watch.look();
    assertEquals(held, vm.isPaused());
    if (held) {
      assertThrows(RametException.class, () -> ground.gate.require("start", false));
    } else {
      ground.gate.require("start", false);
    }
  }

  @Test
  void machinesStandStillBelowHalfAndGoOnAtThreeQuarters() throws Exception {
    mounts.get(0).leave(10);
    assertHeld(false);
    mounts.get(0).leave(7);
    assertHeld(true);
    mounts.get(0).leave(10);
    assertHeld(true);
    mounts.get(0).leave(13);
    assertHeld(false);
    mounts.get(0).leave(10);
    assertHeld(false);
  }

  @Test
  void bothFileSystemsNeedRoom() throws Exception {
    mounts.get(0).leave(7);
    assertHeld(true);
    mounts.get(1).leave(10);
    mounts.get(0).leave(20);
    // It was not the second one that stopped the machines, but it would at once.
    assertHeld(true);
    mounts.get(1).leave(20);
    assertHeld(false);
  }

  @Test
  void aFileSystemThatCannotBeReadHasNotRecovered() throws Exception {
    mounts.get(0).leave(7);
    assertHeld(true);
    Path data = mounts.get(0).place().path();
    Path away = mounts.get(0).path().resolve("away");
    Files.move(data, away);
    mounts.get(0).leave(20);
    assertHeld(true);
    Files.move(away, data);
    assertHeld(false);
  }

  @Test
  void aPauseThatAUserBeganIsNotEnded() throws Exception {
    var users = vm.pause();
    mounts.get(0).leave(7);
    watch.look();
    mounts.get(0).leave(20);
    watch.look();
    assertTrue(vm.isPaused());
    users.close();
    assertHeld(false);
    mounts.get(0).leave(7);
    assertHeld(true);
  }
}
