// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.tree.Tree;
import dev.ramet.linux.tree.TreeAttributes;
import java.nio.ByteBuffer;

/**
 * A path in one of a volume's two trees, as a guest sent it: the files, or the files that have lost
 * their last name and are still open. Immutable as long as nobody changes its bytes.
 */
final class GuestPath {
  private static final int ESTALE = 116;

  private final Tree tree;
  private final byte[] name;

  private GuestPath(Tree tree, byte[] name) {
    this.tree = tree;
    this.name = name;
  }

  /** Reads a path from a request. */
  static GuestPath read(OpenVolume volume, ByteBuffer in) {
    boolean nameless = in.get() != 0;
    return new GuestPath(nameless ? volume.nameless() : volume.files(), bytes(in));
  }

  /** Reads bytes of a request, which are preceded by their count. */
  static byte[] bytes(ByteBuffer in) {
    byte[] bytes = new byte[Short.toUnsignedInt(in.getShort())];
    in.get(bytes);
    return bytes;
  }

  Tree tree() {
    return tree;
  }

  byte[] name() {
    return name;
  }

  /** Returns whether the path exists. */
  boolean exists() throws LinuxException {
    try {
      tree.stat(name);
      return true;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return false;
      }
      throw e;
    }
  }

  /** Opens the entry for its attributes, if it is still the one the guest means. */
  Fd openIfSame(long identity) throws LinuxException {
    return checked(tree.openAny(name), identity);
  }

  /** Opens the regular file for its content, if it is still the one the guest means. */
  Fd open(long identity, boolean write) throws LinuxException {
    return checked(tree.openFile(name, write), identity);
  }

  private static Fd checked(Fd fd, long identity) throws LinuxException {
    try {
      if (identity != 0 && TreeAttributes.of(fd).identity() != identity) {
        throw GuestFileServer.errorResponse(ESTALE);
      }
      return fd;
    } catch (LinuxException e) {
      fd.close();
      throw e;
    }
  }
}
