// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.share.BlockSharing;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.KernelCopy;
import dev.ramet.linux.file.NoCow;

/**
 * Shares all blocks of a file. Btrfs refuses to share between a file that is overwritten in place
 * ({@code chattr +C}) and one that is not, as only the latter has checksums; so a copy gets the
 * same flag as its source, whatever the directory prescribes.
 */
final class CloneFile implements BlockSharing {
  @Override
  public void match(Fd source, Fd target) throws LinuxException {
    boolean noCow = NoCow.get(source);
    if (noCow != NoCow.get(target)) {
      NoCow.set(target, noCow);
    }
  }

  @Override
  public void copy(Fd source, Fd target) throws LinuxException {
    try {
      KernelCopy.share(source, target);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EINVAL) {
        throw e;
      }
      boolean noCow;
      try {
        noCow = NoCow.get(source);
        if (noCow == NoCow.get(target)) {
          throw e;
        }
        NoCow.set(target, noCow);
      } catch (LinuxException unknown) {
        // Another file system's file has no such flag.
        throw e;
      }
      KernelCopy.share(source, target);
    }
  }
}
