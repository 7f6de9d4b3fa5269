// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.CloneRequest;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.it.FullStorageGround.Kind;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that the file system below guests that write becomes full: they are stopped, are shown so,
 * and go on when there is room, without an error and without losing anything that they flushed.
 */
@Timeout(600)
final class FullStorageTest {
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DM_SNAPSHOT")
  void aWritingGuestStandsStillAndGoesOn(Kind kind) throws Exception {
    standsStillAndGoesOn(kind);
  }

  @Test
  void aBrokenDiskIsToldFromAFullOne() throws Exception {
    try (FullStorageGround full = FullStorageGround.make(Kind.BYTE_COPY)) {
      full.create();
      full.startWriting();
      full.breakDisk(true);
      try {
        Standstill still = full.awaitStandstill();
        assertEquals(Standstill.Cause.DISK_ERROR, still.cause());
        assertTrue(still.remedy().contains("repair the disk"), still::remedy);
        RametException e =
            refused(
                ErrorCode.HOST_UNFIT,
                () -> full.ground().engine().sandboxes().endpoint(full.id(), 49_983));
        assertTrue(String.valueOf(e.getMessage()).contains("disk error"), e::toString);
      } finally {
        full.breakDisk(false);
      }
      full.awaitGoingOn();
      full.awaitWrites(2);
      full.assertNothingLost();
    }
  }

  @Test
  void aGuestThatTheHostStopsIsNotReplacedButCanBeKilled() throws Exception {
    try (FullStorageGround full = FullStorageGround.make(Kind.POOL)) {
      full.createInLittleRoom();
      full.startWriting();
      Ground ground = full.ground();
      ground.engine().snapshots().create(full.id(), "before");
      full.fill();
      full.awaitStandstill();
      // A new machine would write what is left while it starts.
      refused(ErrorCode.NO_SPACE, () -> ground.engine().sandboxes().rollback(full.id(), "before"));
      refused(ErrorCode.NO_SPACE, () -> ground.engine().sandboxes().restart(full.id()));
      full.awaitStandstill();
      assertEquals(1, ground.machines().size());
      ground.engine().sandboxes().kill(full.id());
      assertEquals(0, ground.machines().size());
      full.unfill();
      ground.engine().snapshots().delete("before", false);
      ground.assertWell();
    }
  }

  @Test
  void aHungHypervisorDelaysNoOther() throws Exception {
    try (FullStorageGround full = FullStorageGround.make(Kind.POOL)) {
      Ground ground = full.ground();
      Sandbox hung = ground.create();
      full.create();
      full.startWriting();
      signal("-STOP", hung);
      try {
        full.fill();
        assertEquals(Standstill.Cause.NO_SPACE, full.awaitStandstill().cause());
        String detail = full.awaitDetail(hung.id());
        assertTrue(detail.contains("has not answered since"), detail);
        assertEquals(2, ground.engine().sandboxes().list().size());
        assertEquals(Sandbox.State.RUNNING, ground.engine().sandboxes().get(hung.id()).state());
      } finally {
        signal("-CONT", hung);
      }
      full.unfill();
      full.awaitGoingOn();
      full.awaitWrites(2);
      assertEquals("there", ground.shell(hung.id()).run("echo there"));
    }
  }

  private static void signal(String signal, Sandbox sandbox) throws Exception {
    String pid = String.valueOf(sandbox.hypervisorPid());
    assertEquals(0, new ProcessBuilder("kill", signal, pid).inheritIO().start().waitFor());
  }

  static void standsStillAndGoesOn(Kind kind) throws Exception {
    try (FullStorageGround full = FullStorageGround.make(kind)) {
      full.createInLittleRoom();
      full.startWriting();
      Long pid = full.sandbox().hypervisorPid();
      full.fill();
      Standstill still = full.awaitStandstill();
      assertEquals(Standstill.Cause.NO_SPACE, still.cause());
      assertTrue(still.detail().contains("MiB free"), still::detail);
      assertTrue(still.remedy().contains("goes on by itself"), still::remedy);
      assertStands(full);

      full.ground().closeEngine();
      full.ground().openEngine();
      assertEquals(pid, full.sandbox().hypervisorPid());
      full.awaitStandstill();
      assertStands(full);

      full.unfill();
      full.awaitGoingOn();
      full.awaitWrites(2);
      assertEquals(pid, full.sandbox().hypervisorPid());
      full.assertNothingLost();
      full.ground().assertWell();
    }
  }

  /** Checks that it counts as running, and that everything that would need room is refused. */
  private static void assertStands(FullStorageGround full) {
    Ground ground = full.ground();
    String id = full.id();
    assertEquals(Sandbox.State.RUNNING, full.sandbox().state());
    assertEquals(1, ground.metric("ramet_sandboxes_standing_still", Map.of("cause", "no-space")));
    RametException e =
        refused(ErrorCode.NO_SPACE, () -> ground.engine().sandboxes().endpoint(id, 49_983));
    assertTrue(String.valueOf(e.getMessage()).contains("stands still"), e::toString);
    refused(ErrorCode.NO_SPACE, () -> ground.engine().sandboxes().metrics(id));
    refused(ErrorCode.NO_SPACE, () -> ground.engine().snapshots().create(id, "full"));
    refused(ErrorCode.NO_SPACE, () -> ground.engine().sandboxes().pause(id, true, null));
    refused(
        ErrorCode.NO_SPACE,
        () -> ground.engine().sandboxes().clone(id, new CloneRequest(1, 1, null)));
    refused(ErrorCode.NO_SPACE, ground::create);
  }
}
