// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import dev.ramet.spi.storage.Attachment;
import java.io.IOException;

/** Reads and writes the bytes of nodes, as a hypervisor does. Thread-safe. */
public interface NodeIo {
  /** Uses the file or block device that the attachment names. */
  NodeIo FILES = new FileNodeIo();

  /** Reads bytes within the node's size. */
  byte[] read(Attachment node, long offset, int lengthBytes) throws IOException;

  /** Writes bytes within the node's size. */
  void write(Attachment node, long offset, byte[] bytes) throws IOException;

  /** Discards a range, aligned to 4096: it reads as zeros from then on, and its space is freed. */
  void discard(Attachment node, long offset, long lengthBytes) throws IOException;
}
