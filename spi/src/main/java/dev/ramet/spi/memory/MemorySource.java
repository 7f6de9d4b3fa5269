// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Path;

/**
 * The place from which a restored machine gets the pages of its memory. Later versions may add
 * kinds, so a hypervisor refuses the ones it does not know.
 */
public sealed interface MemorySource {
  /**
   * Returns the absolute path of an image that can be mapped.
   *
   * @throws RametException {@code UNSUPPORTED} if there is none, because pages come from a fault
   *     handler
   */
  Path path();

  /**
   * A complete image on this host. The hypervisor maps it privately, so that its regions are {@link
   * MemoryRegion.Kind#PRIVATE_IMAGE}.
   *
   * @param path the absolute path of a file or block device
   */
  record MappedImage(Path path) implements MemorySource {}

  /**
   * A process that fills pages when the machine first touches them, whose regions are {@link
   * MemoryRegion.Kind#FAULTED}.
   *
   * <p>The hypervisor reserves private anonymous memory, registers it with a userfaultfd(2) for
   * missing pages, which answers the kernel's faults too (without {@code UFFD_USER_MODE_ONLY}, so
   * that readers of the process have pages fetched as well), and connects to the socket once. In
   * one message it sends the descriptor (unix(7), {@code SCM_RIGHTS}) and a JSON array with an
   * object for each region: {@code base_host_virt_addr}, {@code size} and {@code offset}, all in
   * bytes, where {@code offset} is the region's place in the image, and {@code page_size} in bytes.
   * It keeps the connection open for as long as it runs. The handler never fills a page with
   * anything but the image's content: if it cannot get that, it lets the machine wait. When the
   * connection ends, so does its work for that machine.
   *
   * @param socket the absolute path of a Unix domain stream socket, which serves any number of
   *     machines
   */
  record FaultHandler(Path socket) implements MemorySource {
    @Override
    public Path path() {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "this needs a memory image that can be mapped, and pages come from the fault handler at "
              + socket,
          "use a hypervisor that states fault-handler, or keep memory images in a storage backend"
              + " whose images are local",
          null);
    }
  }
}
