// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.tree.TreeAttributes;
import dev.ramet.linux.tree.TreeEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Carries out a guest's changes to a volume, each only once: a guest that got no response repeats
 * its request, even if only the response was lost. Used by one thread.
 */
final class Changes {
  private static final int EISDIR = 21;
  private static final int ELOOP = 40;

  private final OpenVolume volume;
  private final ByteBuffer data;
  private final ByteBuffer out;

  /**
   * Creates the changes of a volume.
   *
   * @param data direct buffer with the data to write
   * @param out receives the response
   */
  Changes(OpenVolume volume, ByteBuffer data, ByteBuffer out) {
    this.volume = volume;
    this.data = data;
    this.out = out;
  }

  /** A change that must not be made twice. */
  private interface Change {
    void make() throws LinuxException;
  }

  /** Looks for traces of an earlier attempt that was interrupted when the host ended. */
  private interface Traces {
    boolean look() throws LinuxException;
  }

  /**
   * Makes a change, unless it was made already.
   *
   * @param happened whether the files look as if an attempt of unknown outcome was carried out
   */
  private void once(Answers.Key key, boolean again, Change change, Traces happened)
      throws LinuxException, IOException {
    synchronized (volume.lock()) {
      Answers answers = volume.answers();
      Answers.Known known = again ? answers.find(key) : null;
      if (known != null && known.done()) {
        if (known.errno() != 0) {
          throw GuestFileServer.failure(known.errno());
        }
        return;
      }
      boolean interrupted = known != null;
      answers.begin(key, 0);
      try {
        if (!interrupted || !happened.look()) {
          change.make();
        }
        answers.done(key, 0);
      } catch (LinuxException e) {
        answers.done(key, e.errno());
        throw e;
      }
    }
  }

  void write(Answers.Key key, boolean again, ByteBuffer in) throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    long identity = in.getLong();
    long offset = GuestFileServer.offset(in);
    boolean append = in.get() != 0;
    if (in.remaining() > GuestFileServer.MOST_DATA_BYTES) {
      throw GuestFileServer.failure(LinuxException.EINVAL);
    }
    int size = in.remaining();
    data.clear().put(in).flip();
    try (Fd file = place.open(identity, true)) {
      if (append) {
        append(key, again, file);
      } else {
        file.pwrite(data, offset);
      }
    }
    out.putInt(size);
  }

  /**
   * Appends to a file. The offset is recorded first, so that an interrupted append can be finished
   * and its data appears once.
   */
  private void append(Answers.Key key, boolean again, Fd file) throws LinuxException, IOException {
    synchronized (volume.lock()) {
      Answers answers = volume.answers();
      Answers.Known known = again ? answers.find(key) : null;
      if (known != null && known.done()) {
        if (known.errno() != 0) {
          throw GuestFileServer.failure(known.errno());
        }
        return;
      }
      long end = known == null ? TreeAttributes.of(file).sizeBytes() : resumed(known, file);
      answers.begin(key, end);
      try {
        file.pwrite(data, end);
        answers.done(key, 0);
      } catch (LinuxException e) {
        answers.done(key, e.errno());
        throw e;
      }
    }
  }

  /**
   * Returns the offset for repeating an interrupted append: the recorded one if the file has
   * nothing there, or the part of the data that was written; otherwise the end of the file, because
   * others have appended or truncated it since.
   */
  private long resumed(Answers.Known known, Fd file) throws LinuxException {
    long size = TreeAttributes.of(file).sizeBytes();
    if (size < known.offset()) {
      return size;
    }
    int written = (int) Math.min(size - known.offset(), data.remaining());
    ByteBuffer found = ByteBuffer.allocateDirect(written);
    file.pread(found, known.offset());
    boolean own = found.flip().equals(data.slice(data.position(), written));
    return own ? known.offset() : size;
  }

  void create(Answers.Key key, boolean again, ByteBuffer in) throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    int mode = in.getInt();
    int uid = in.getInt();
    int gid = in.getInt();
    boolean exclusive = in.get() != 0;
    once(
        key,
        again,
        () -> {
          try (Fd file = place.tree().createFile(place.name(), mode)) {
            own(file, uid, gid);
          } catch (LinuxException e) {
            if (exclusive || e.errno() != LinuxException.EEXIST) {
              throw e;
            }
          }
        },
        () -> place.exists());
    TreeEntry entry = place.tree().stat(place.name());
    if (!entry.isFile()) {
      throw GuestFileServer.failure(entry.isDirectory() ? EISDIR : ELOOP);
    }
    GuestFileServer.put(out, entry);
  }

  void makeDirectory(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    int mode = in.getInt();
    int uid = in.getInt();
    int gid = in.getInt();
    once(
        key,
        again,
        () -> {
          place.tree().makeDirectory(place.name(), mode);
          own(place, uid, gid);
        },
        () -> place.exists());
    GuestFileServer.put(out, place.tree().stat(place.name()));
  }

  void symlink(Answers.Key key, boolean again, ByteBuffer in) throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    byte[] target = GuestPath.bytes(in);
    int uid = in.getInt();
    int gid = in.getInt();
    once(
        key,
        again,
        () -> {
          place.tree().makeLink(place.name(), target);
          own(place, uid, gid);
        },
        () -> place.exists());
    GuestFileServer.put(out, place.tree().stat(place.name()));
  }

  void unlink(Answers.Key key, boolean again, ByteBuffer in) throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    once(key, again, () -> place.tree().unlink(place.name()), () -> !place.exists());
  }

  void removeDirectory(Answers.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    once(key, again, () -> place.tree().removeDirectory(place.name()), () -> !place.exists());
  }

  void rename(Answers.Key key, boolean again, ByteBuffer in) throws LinuxException, IOException {
    GuestPath from = GuestPath.read(volume, in);
    GuestPath to = GuestPath.read(volume, in);
    boolean replace = in.get() != 0;
    long keep = in.getLong();
    once(
        key,
        again,
        () -> {
          if (keep != 0) {
            keep(to, keep);
          }
          from.tree().rename(from.name(), to.tree(), to.name(), replace);
        },
        () -> !from.exists() && to.exists());
  }

  void link(Answers.Key key, boolean again, ByteBuffer in) throws LinuxException, IOException {
    GuestPath from = GuestPath.read(volume, in);
    GuestPath to = GuestPath.read(volume, in);
    if (!from.tree().equals(to.tree())) {
      throw GuestFileServer.failure(
          LinuxException.ENOENT); // a file that has lost its last name gets no new one
    }
    once(key, again, () -> from.tree().addName(from.name(), to.name()), () -> to.exists());
    GuestFileServer.put(out, to.tree().stat(to.name()));
  }

  /** Removes a name, and keeps the file for the guest that has it open. */
  void hide(Answers.Key key, boolean again, ByteBuffer in) throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    long identity = in.getLong();
    once(
        key,
        again,
        () -> {
          keep(place, identity);
          place.tree().unlink(place.name());
        },
        () -> !place.exists());
  }

  /** Links a file into the directory of files without names. */
  private void keep(GuestPath place, long identity) throws LinuxException {
    if (place.tree().stat(place.name()).identity() != identity) {
      return; // another guest has put a different file there
    }
    byte[] kept = String.format("%016x", identity).getBytes(StandardCharsets.US_ASCII);
    try {
      place.tree().addName(place.name(), volume.nameless(), kept);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EEXIST) {
        throw e;
      }
    }
  }

  private static void own(GuestPath place, int uid, int gid) throws LinuxException {
    try (Fd fd = place.tree().openAny(place.name())) {
      own(fd, uid, gid);
    }
  }

  /** Sets the owner. A host that is not root cannot change owners, so the files stay its own. */
  static void own(Fd fd, int uid, int gid) throws LinuxException {
    try {
      TreeAttributes.setOwner(fd, uid, gid);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EPERM) {
        throw e;
      }
    }
  }
}
