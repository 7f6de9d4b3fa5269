// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.tree.Tree;
import dev.ramet.linux.tree.TreeAttributes;
import java.nio.ByteBuffer;

/**
 * A name in one of the two trees of a volume, as a guest sent it: of its files, or of those that
 * have lost their last name and are open somewhere. Immutable as long as nobody changes its bytes.
 */
final class GuestPath {
  private static final int ESTALE = 116;

  private final Tree tree;
  private final byte[] name;

  private GuestPath(Tree tree, byte[] name) {
    this.tree = tree;
    this.name = name;
  }

  /** Reads one from a request. */
  static GuestPath read(OpenVolume volume, ByteBuffer in) {
    boolean nameless = in.get() != 0;
    return new GuestPath(nameless ? volume.nameless() : volume.files(), bytes(in));
  }

  /** Reads bytes of a request, which come after how many there are. */
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

  /** Whether anything has the name. */
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

  /** Holds what has the name, if that is still what the guest means. */
  Fd hold(long identity) throws LinuxException {
    return checked(tree.openAny(name), identity);
  }

  /** Opens the regular file that has it, likewise. */
  Fd open(long identity, boolean write) throws LinuxException {
    return checked(tree.openFile(name, write), identity);
  }

  private static Fd checked(Fd fd, long identity) throws LinuxException {
    try {
      if (identity != 0 && TreeAttributes.of(fd).identity() != identity) {
        throw GuestFileServer.failure(ESTALE);
      }
      return fd;
    } catch (LinuxException e) {
      fd.close();
      throw e;
    }
  }
}
