// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.NodeId;
import java.io.IOException;

/** Controls the cache of a backend whose images are kept elsewhere, and acts as its machines do. */
public interface RemoteControl {
  /** Gives up everything of a node that is kept on this host, so that it must be fetched again. */
  void forget(NodeId id) throws IOException;

  /**
   * Touches a page of a machine's memory and returns its content, as a hypervisor that was given
   * the handler.
   *
   * @param imageOffset the page's place in the image
   */
  byte[] touch(MemorySource.FaultHandler handler, long imageOffset) throws IOException;
}
