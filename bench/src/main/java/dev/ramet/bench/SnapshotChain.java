// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of one sandbox, each on the one before, of which the last is kept: that is what the
 * next one builds on. Used by one thread.
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

  /** The last one, once there is one. */
  @Nullable String last() {
    return last;
  }

  /** Takes one in the mode that the host chooses, and leaves the one before where it is. */
  SnapshotInfo next() throws IOException, InterruptedException {
    return host.api().snapshot(sandbox.sandboxID());
  }

  /** As {@link #next}, compared with all of the paused machine's memory; null when it differs. */
  @Nullable SnapshotInfo nextVerified() throws IOException, InterruptedException {
    return host.api().verifiedSnapshot(sandbox.sandboxID());
  }

  /** Puts one in place of the one before, which is deleted. */
  void replaceBy(SnapshotInfo snapshot) throws IOException, InterruptedException {
    @Nullable String before = last;
    last = snapshot.snapshotID();
    if (before != null) {
      host.api().deleteSnapshot(before);
    }
  }

  /**
   * Takes one in place of the one before.
   *
   * @param mode the memory mode, or null for the host's choice
   */
  CaptureInfo capture(@Nullable String mode) throws IOException, InterruptedException {
    SnapshotInfo snapshot = mode == null ? next() : host.api().snapshot(sandbox.sandboxID(), mode);
    replaceBy(snapshot);
    return Objects.requireNonNull(snapshot.capture());
  }
}
