// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import java.time.Instant;
import java.util.Map;

/** Makes manifests of sandboxes. */
public final class SandboxGround {
  private SandboxGround() {}

  /** Returns the manifest of a running sandbox. */
  public static SandboxRecord record(String id) {
    return SandboxRecord.builder()
        .id(id)
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
        .build();
  }
}
