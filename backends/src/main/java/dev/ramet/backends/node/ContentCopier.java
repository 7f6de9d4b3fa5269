// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.node;

import dev.ramet.backends.copy.CopyStrategy;
import dev.ramet.backends.disk.Layout;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.WriteLog;

/** Copies with a strategy that may take long, on any file system. */
public final class ContentCopier implements Copier {
  private final Layout layout;
  private final NodeFiles files;
  private final CopyStrategy strategy;

  public ContentCopier(Layout layout, NodeFiles files, CopyStrategy strategy) {
    this.layout = layout;
    this.files = files;
    this.strategy = strategy;
  }

  @Override
  public long snapshot(NodeIndex.Entry source, NodeId id, Durability durability, WriteLog log)
      throws LinuxException {
    return files.makeSnapshot(
        source.origin(), id, (target, path) -> copy(source, target), durability);
  }

  @Override
  public long fork(NodeIndex.Entry source, NodeId id, Durability durability) throws LinuxException {
    return files.makeVolume(id, (target, path) -> copy(source, target), durability);
  }

  private void copy(NodeIndex.Entry source, Fd target) throws LinuxException {
    try (Fd from = Fd.openRead(layout.file(source.origin(), source.id()))) {
      strategy.copy(from, target);
    }
  }

  @Override
  public void forget(NodeId id) {
    // Keeps nothing.
  }

  @Override
  public void close() {
    // Keeps nothing.
  }
}
