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
 * What a guest has changed in a volume, each once, however often it is asked for: a guest that got
 * no answer asks again, also when only the answer was lost. Used by one thread.
 */
final class Changes {
  private static final int EISDIR = 21;
  private static final int ELOOP = 40;

  private final OpenVolume volume;
  private final ByteBuffer data;
  private final ByteBuffer out;

  /**
   * Those of a volume.
   *
   * @param data direct, for what is written
   * @param out gets the answers
   */
  Changes(OpenVolume volume, ByteBuffer data, ByteBuffer out) {
    this.volume = volume;
    this.data = data;
    this.out = out;
  }

  /** Something that must not be done twice. */
  private interface Change {
    void make() throws LinuxException;
  }

  /** What is to be said of an earlier attempt that the host did not live to answer. */
  private interface Traces {
    boolean look() throws LinuxException;
  }

  /**
   * Makes a change, or finds that it was made.
   *
   * @param happened whether it looks as if an attempt was carried out of which nothing else is
   *     known
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

  /** Where it goes is noted first, so that what was begun can be finished and is there once. */
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
   * Where an append goes that was begun: to where it was noted, if there is nothing or what it had
   * written of its data; else to the end, for others have appended or emptied the file since.
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
          LinuxException.ENOENT); // what has lost its last name gets no other
    }
    once(key, again, () -> from.tree().addName(from.name(), to.name()), () -> to.exists());
    GuestFileServer.put(out, to.tree().stat(to.name()));
  }

  /** Takes a name away, and keeps the file for the guest that has it open. */
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

  /** Gives a file a name among those that have none. */
  private void keep(GuestPath place, long identity) throws LinuxException {
    if (place.tree().stat(place.name()).identity() != identity) {
      return; // somebody else has put another one there
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

  /** A host that is not root cannot give files away: they are its own then. */
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
