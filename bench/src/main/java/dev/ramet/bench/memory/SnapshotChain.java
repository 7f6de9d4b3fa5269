// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.bench.host.Host;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of one sandbox, each based on the previous one. The last is kept as the base of the
 * next. Used by one thread.
 */
final class SnapshotChain {
  private final Host host;
  private final SandboxInfo sandbox;
  private @Nullable String last;

  SnapshotChain(Host host, SandboxInfo sandbox) {
    this.host = host;
    this.sandbox = sandbox;
  }

  SandboxInfo sandbox() {
    return sandbox;
  }

  /** Returns the last snapshot's id; null if there is none yet. */
  @Nullable String last() {
    return last;
  }

  /** Takes a snapshot in the mode that the host chooses, and keeps the previous one. */
  SnapshotInfo next() throws IOException, InterruptedException {
    return host.api().snapshot(sandbox.sandboxID());
  }

  /**
   * Takes a snapshot like {@link #next} and compares it with all of the paused machine's memory;
   * null if they differ.
   */
  @Nullable SnapshotInfo nextVerified() throws IOException, InterruptedException {
    return host.api().verifiedSnapshot(sandbox.sandboxID());
  }

  /** Makes this the last snapshot and deletes the previous one. */
  void replaceBy(SnapshotInfo snapshot) throws IOException, InterruptedException {
    @Nullable String before = last;
    last = snapshot.snapshotID();
    if (before != null) {
      host.api().deleteSnapshot(before);
    }
  }

  /**
   * Takes a snapshot that replaces the previous one.
   *
   * @param mode the memory mode, or null for the host's choice
   */
  CaptureInfo capture(@Nullable String mode) throws IOException, InterruptedException {
    SnapshotInfo snapshot = mode == null ? next() : host.api().snapshot(sandbox.sandboxID(), mode);
    replaceBy(snapshot);
    return Objects.requireNonNull(snapshot.capture());
  }
}
