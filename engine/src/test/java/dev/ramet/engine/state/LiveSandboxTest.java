// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class LiveSandboxTest {
  private final LiveSandbox sandbox =
      new LiveSandbox(
          SandboxGround.record("i1").toBuilder()
              .state(SandboxRecord.State.FAILED)
              .detail("it died")
              .build(),
          null);

  @Test
  void oneOperationAtATimeAndTheOtherIsToldWhich() {
    try (LiveSandbox.Hold hold = sandbox.acquire("snapshot")) {
      RametException busy = assertThrows(RametException.class, () -> sandbox.acquire("rollback"));
      assertEquals(ErrorCode.CONFLICT, busy.code());
      assertTrue(String.valueOf(busy.getMessage()).contains("snapshot is under way"));
      assertThrows(RametException.class, () -> sandbox.acquire("kill", Duration.ofMillis(10)));
    }
    sandbox.acquire("rollback").close();
  }

  @Test
  void saysWhyThereIsNoMachine() {
    RametException refused = assertThrows(RametException.class, sandbox::runningMachine);
    assertEquals(ErrorCode.CONFLICT, refused.code());
    assertTrue(String.valueOf(refused.getMessage()).contains("it died"));
    assertTrue(String.valueOf(refused.remedy()).startsWith("restart the sandbox"));
    sandbox.transition(sandbox.saved().withState(SandboxRecord.State.PAUSED, null), null);
    RametException paused = assertThrows(RametException.class, sandbox::runningMachine);
    assertEquals("resume it first", paused.remedy());
  }
}
