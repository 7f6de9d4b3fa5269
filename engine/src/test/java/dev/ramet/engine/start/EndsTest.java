// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.sandboxes.Sandboxes.Timeout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests when sandboxes end after they were paused and resumed. */
@org.junit.jupiter.api.Timeout(180)
class EndsTest {
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F', 2};
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir Path root;
  private MicroGround ground;

  @BeforeEach
  void open() throws Exception {
    ground = new MicroGround(root);
    ground.template("ends", ELF, false);
  }

  @AfterEach
  void close() {
    ground.close();
  }

  private Sandbox create(@Nullable Duration timeout) {
    return ground.engine.sandboxes().create(NewSandbox.of("ends").timeout(timeout).build());
  }

  /** Pauses and resumes a sandbox, and returns its end. */
  private @Nullable Instant endAfterResume(String id, @Nullable Timeout timeout) {
    ground.engine.sandboxes().pause(id, true);
    return ground.engine.sandboxes().resume(id, timeout, true).endAt();
  }

  private Instant endAfter(String id, @Nullable Timeout timeout) {
    return Objects.requireNonNull(endAfterResume(id, timeout));
  }

  @Test
  void aSandboxWithoutAnEndHasNoneAfterAPause() {
    String id = create(null).id();
    assertNull(endAfterResume(id, null));
    assertNull(endAfterResume(id, new Timeout(HOUR)));
    assertNull(endAfterResume(id, null), "the refused timeout left no trace");
    assertNotNull(endAfterResume(id, new Timeout(HOUR, true)));
    assertNull(endAfterResume(id, new Timeout(null)));
  }

  @Test
  void aSandboxGetsTheTimeItWasLastGiven() {
    String id = create(HOUR).id();
    Instant least = Instant.now().plus(Duration.ofMinutes(59));
    assertTrue(endAfter(id, null).isAfter(least));
    assertTrue(endAfter(id, new Timeout(Duration.ofMinutes(10))).isBefore(least));
    assertTrue(endAfter(id, null).isBefore(least));
  }

  @Test
  void anOldRecordWithATimeoutOfZeroHasTheDefaultEnd() throws Exception {
    String id = create(HOUR).id();
    ground.engine.sandboxes().pause(id, true);
    ground.engine.close();
    Path manifest;
    try (var files = Files.walk(root.resolve("data"))) {
      manifest =
          files
              .filter(file -> file.endsWith(Path.of(id, "manifest.json")))
              .findFirst()
              .orElseThrow();
    }
    String now = Files.readString(manifest);
    String old = now.replaceFirst("\"timeoutSeconds\"\\s*:\\s*3600", "\"timeoutSeconds\":0");
    assertNotEquals(now, old);
    Files.writeString(manifest, old);
    ground.engine = ground.open(List.of(ground.taps));
    Instant end = Objects.requireNonNull(ground.engine.sandboxes().resume(id, null, true).endAt());
    Instant most = Instant.now().plus(Sandboxes.DEFAULT_TIMEOUT);
    assertFalse(end.isAfter(most), end::toString);
    assertTrue(end.isAfter(most.minus(Duration.ofMinutes(3))), end::toString);
  }
}
