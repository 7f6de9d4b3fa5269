// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Tests that no machine begins to run while there is no room for it, however slow its start. */
@Timeout(120)
class SlowStartTest {
  @TempDir private Path directory;
  private SpaceGround ground;
  private RemoteEngine engine;

  @BeforeEach
  void open() throws Exception {
    ground = new SpaceGround(directory);
    engine = ground.engine;
  }

  @AfterEach
  void close() {
    ground.close();
  }

  private static void refused(Executable call) {
    assertEquals(ErrorCode.NO_SPACE, assertThrows(RametException.class, call).code());
  }

  @Test
  void aMachineThatComesUpWhileTheOthersAreHeldIsRefused() {
    String first = ground.create().id();
    engine.hypervisor.booting =
        () -> {
          ground.leave(SpaceGround.FULL_MIB);
          SpaceGround.await(ground::holds);
        };
    refused(ground::create);
    assertEquals(1, engine.hypervisor.running());
    assertEquals(List.of(first), engine.sandboxes.list().stream().map(Sandbox::id).toList());
    engine.hypervisor.booting = () -> {};
    ground.leave(SpaceGround.PLENTY_MIB);
    SpaceGround.await(() -> !ground.holds());
    ground.create();
  }

  @Test
  void aMachineThatIsHeldIsNotReplaced() {
    String id = ground.create().id();
    engine.snapshots.create(id, "before");
    ground.leave(SpaceGround.FULL_MIB);
    SpaceGround.await(() -> engine.sandboxes.get(id).standstill() != null);
    refused(() -> engine.sandboxes.rollback(id, "before"));
    refused(() -> engine.sandboxes.restart(id));
    assertNotNull(engine.sandboxes.get(id).standstill(), "it is still held");
    ground.leave(SpaceGround.PLENTY_MIB);
    SpaceGround.await(() -> !ground.holds());
    engine.sandboxes.rollback(id, "before");
    assertEquals(1, engine.hypervisor.running());
  }

  @Test
  void aRestartThatMustEndADeafMachineFirstNeedsRoom() {
    String id = ground.create().id();
    FaultedVm old = engine.hypervisor.of(id);
    old.fallDeaf();
    ground.leave(SpaceGround.RESERVED_MIB);
    refused(() -> engine.sandboxes.restart(id));
    assertEquals(old, engine.hypervisor.of(id), "it still runs");
    ground.leave(SpaceGround.PLENTY_MIB);
    engine.sandboxes.restart(id);
    assertNotEquals(old, engine.hypervisor.of(id));
    assertEquals(1, engine.hypervisor.running());
  }
}
