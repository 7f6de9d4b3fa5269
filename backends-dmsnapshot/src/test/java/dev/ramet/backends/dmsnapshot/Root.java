// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.disk.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.linux.file.PageCache;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.testing.Features;
import dev.ramet.testing.LoopFs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** A backend on a separate ext4 file system, with helpers for its devices. */
final class Root implements AutoCloseable {
  static final NodeId V = NodeId.of("v");
  private static final int PAGE = 4096;

  private final LoopFs fs;
  private final long reserveBytes;
  private DmSnapshotBackend backend;

  Root(Path directory, long sizeBytes, long reserveBytes) {
    Features.deviceMapper();
    this.fs = LoopFs.ext4(directory, sizeBytes);
    this.reserveBytes = reserveBytes;
    boolean done = false;
    try {
      this.backend = open(Steps.NONE);
      done = true;
    } finally {
      if (!done) {
        fs.close();
      }
    }
  }

  private DmSnapshotBackend open(Steps steps) {
    return DmSnapshotProvider.open(fs.root(), 1L << 40, reserveBytes, steps);
  }

  LoopFs fs() {
    return fs;
  }

  DmSnapshotBackend backend() {
    return backend;
  }

  /** Closes the backend, or leaves it as a killed process does, and opens it again. */
  DmSnapshotBackend reopen(boolean killed, Steps steps) {
    if (killed) {
      backend.abandon();
    } else {
      backend.close();
    }
    backend = open(steps);
    return backend;
  }

  /** Closes the backend and opens a copy of its disk. */
  DmSnapshotBackend reopen(Path disk) {
    backend.close();
    fs.mountCopy(disk);
    backend = open(Steps.NONE);
    return backend;
  }

  /** Opens the device of a node. */
  Fd device(NodeId id) throws LinuxException {
    var attachment = backend.attach(id);
    return Fd.open(
        attachment.path(),
        attachment.readOnly() ? Set.of(OpenFlag.READ) : Set.of(OpenFlag.READ, OpenFlag.WRITE),
        0);
  }

  /** Writes a value to a page and makes it durable. */
  static void write(Fd device, long page, long value) throws LinuxException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);
    buffer.putLong(0, value).putLong(PAGE - Long.BYTES, value);
    device.pwrite(buffer, page * PAGE);
    device.fsync();
  }

  /** Reads the value of a page from the device, bypassing the page cache. */
  static long read(Fd device, long page) throws LinuxException {
    PageCache.drop(device, 0, 0);
    ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);
    device.pread(buffer, page * PAGE);
    if (buffer.getLong(0) != buffer.getLong(PAGE - Long.BYTES)) {
      throw new AssertionError("half a page");
    }
    return buffer.getLong(0);
  }

  /** Reads the value of a page of a node. */
  long read(NodeId id, long page) throws LinuxException {
    try (Fd device = device(id)) {
      return read(device, page);
    }
  }

  /** Returns the names of this project's devices on the host. */
  static List<String> devices() throws LinuxException {
    try (DeviceMapper mapper = DeviceMapper.open()) {
      return mapper.devices().keySet().stream().filter(n -> n.startsWith("ramet-")).toList();
    }
  }

  @Override
  public void close() {
    backend.close();
    fs.close();
  }
}
