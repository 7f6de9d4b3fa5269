// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that machines which the host has stopped go on. */
final class StoppedMachinesTest {
  @TempDir private Path root;

  private final List<String> calls = new ArrayList<>();

  private static LiveSandbox sandbox(RunningVm vm) {
    return new LiveSandbox(
        SandboxRecord.builder()
            .id("i1")
            .state(SandboxRecord.State.RUNNING)
            .hidden(false)
            .sourceId("t1")
            .metadata(Map.of())
            .startedAt(Instant.EPOCH)
            .outbound(false)
            .diskBytes(0)
            .machine(
                SandboxRecord.Machine.builder()
                    .number(1)
                    .cpuCount(1)
                    .memoryBytes(1 << 20)
                    .kernelArguments("")
                    .hasInitrd(false)
                    .hostAddress("")
                    .build())
            .build(),
        vm);
  }

  private <T> T fake(Class<T> type, Runnable call, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              call.run();
              return answer;
            }));
  }

  @Test
  void aResumeThatFailsIsTriedAgain() {
    PausedVm pause =
        fake(
            PausedVm.class,
            () -> {
              if (calls.size() < 3) {
                throw new IllegalStateException("it does not answer");
              }
            },
            "");
    LiveSandbox live = sandbox(fake(RunningVm.class, () -> {}, pause));
    SandboxStore sandboxes = new SandboxStore(new Layout(root));
    sandboxes.add(live);
    StoppedMachines machines = new StoppedMachines(sandboxes, new Registry(), () -> {});
    machines.refresh();
    machines.stop(true);
    machines.release();
    assertEquals(List.of("pause", "close"), calls);
    try (LiveSandbox.Hold hold = live.acquire("snapshot")) {
      machines.follow(true);
      assertEquals(2, calls.size(), "a snapshot resumes the machine itself");
    }
    machines.follow(true);
    assertEquals(List.of("pause", "close", "pause", "close"), calls);
    machines.follow(true);
    assertEquals(4, calls.size(), "it runs again");
  }
}
