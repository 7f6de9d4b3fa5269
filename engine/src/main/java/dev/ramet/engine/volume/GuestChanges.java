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
final class GuestChanges {
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
  GuestChanges(OpenVolume volume, ByteBuffer data, ByteBuffer out) {
    this.volume = volume;
    this.data = data;
    this.out = out;
  }

  /** A change that must not be made twice. */
  private interface Action {
    void apply() throws LinuxException;
  }

  /** Looks for traces of an earlier attempt that was interrupted when the host ended. */
  private interface CompletionCheck {
    boolean isDone() throws LinuxException;
  }

  /**
   * Makes a change, unless it was made already.
   *
   * @param happened whether the files look as if an attempt of unknown outcome was carried out
   */
  private void applyOnce(
      RequestJournal.Key key, boolean again, Action change, CompletionCheck happened)
      throws LinuxException, IOException {
    synchronized (volume.lock()) {
      RequestJournal answers = volume.answers();
      RequestJournal.StoredResult known = again ? answers.find(key) : null;
      if (known != null && known.done()) {
        if (known.errno() != 0) {
          throw GuestFileServer.errorResponse(known.errno());
        }
        return;
      }
      boolean interrupted = known != null;
      answers.recordStart(key, 0);
      try {
        if (!interrupted || !happened.isDone()) {
          change.apply();
        }
        answers.recordResult(key, 0);
      } catch (LinuxException e) {
        answers.recordResult(key, e.errno());
        throw e;
      }
    }
  }

  void write(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    long identity = in.getLong();
    long offset = GuestFileServer.offset(in);
    boolean append = in.get() != 0;
    if (in.remaining() > GuestFileServer.MAX_DATA_BYTES) {
      throw GuestFileServer.errorResponse(LinuxException.EINVAL);
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
  private void append(RequestJournal.Key key, boolean again, Fd file)
      throws LinuxException, IOException {
    synchronized (volume.lock()) {
      RequestJournal answers = volume.answers();
      RequestJournal.StoredResult known = again ? answers.find(key) : null;
      if (known != null && known.done()) {
        if (known.errno() != 0) {
          throw GuestFileServer.errorResponse(known.errno());
        }
        return;
      }
      long end = known == null ? TreeAttributes.of(file).sizeBytes() : resumeOffset(known, file);
      answers.recordStart(key, end);
      try {
        file.pwrite(data, end);
        answers.recordResult(key, 0);
      } catch (LinuxException e) {
        answers.recordResult(key, e.errno());
        throw e;
      }
    }
  }

  /**
   * Returns the offset for repeating an interrupted append: the recorded one if the file has
   * nothing there, or the part of the data that was written; otherwise the end of the file, because
   * others have appended or truncated it since.
   */
  private long resumeOffset(RequestJournal.StoredResult known, Fd file) throws LinuxException {
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

  void create(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    int mode = in.getInt();
    int uid = in.getInt();
    int gid = in.getInt();
    boolean exclusive = in.get() != 0;
    applyOnce(
        key,
        again,
        () -> {
          try (Fd file = place.tree().createFile(place.name(), mode)) {
            setOwner(file, uid, gid);
          } catch (LinuxException e) {
            if (exclusive || e.errno() != LinuxException.EEXIST) {
              throw e;
            }
          }
        },
        () -> place.exists());
    TreeEntry entry = place.tree().stat(place.name());
    if (!entry.isFile()) {
      throw GuestFileServer.errorResponse(entry.isDirectory() ? EISDIR : ELOOP);
    }
    GuestFileServer.putAttributes(out, entry);
  }

  void makeDirectory(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    int mode = in.getInt();
    int uid = in.getInt();
    int gid = in.getInt();
    applyOnce(
        key,
        again,
        () -> {
          place.tree().makeDirectory(place.name(), mode);
          setOwner(place, uid, gid);
        },
        () -> place.exists());
    GuestFileServer.putAttributes(out, place.tree().stat(place.name()));
  }

  void symlink(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    byte[] target = GuestPath.bytes(in);
    int uid = in.getInt();
    int gid = in.getInt();
    applyOnce(
        key,
        again,
        () -> {
          place.tree().makeLink(place.name(), target);
          setOwner(place, uid, gid);
        },
        () -> place.exists());
    GuestFileServer.putAttributes(out, place.tree().stat(place.name()));
  }

  void unlink(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    applyOnce(key, again, () -> place.tree().unlink(place.name()), () -> !place.exists());
  }

  void removeDirectory(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    applyOnce(key, again, () -> place.tree().removeDirectory(place.name()), () -> !place.exists());
  }

  void rename(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath from = GuestPath.read(volume, in);
    GuestPath to = GuestPath.read(volume, in);
    boolean replace = in.get() != 0;
    long keep = in.getLong();
    applyOnce(
        key,
        again,
        () -> {
          if (keep != 0) {
            linkNameless(to, keep);
          }
          from.tree().rename(from.name(), to.tree(), to.name(), replace);
        },
        () -> !from.exists() && to.exists());
  }

  void link(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath from = GuestPath.read(volume, in);
    GuestPath to = GuestPath.read(volume, in);
    if (!from.tree().equals(to.tree())) {
      throw GuestFileServer.errorResponse(
          LinuxException.ENOENT); // a file that has lost its last name gets no new one
    }
    applyOnce(key, again, () -> from.tree().addName(from.name(), to.name()), () -> to.exists());
    GuestFileServer.putAttributes(out, to.tree().stat(to.name()));
  }

  /** Removes a name, and keeps the file for the guest that has it open. */
  void unlinkOpen(RequestJournal.Key key, boolean again, ByteBuffer in)
      throws LinuxException, IOException {
    GuestPath place = GuestPath.read(volume, in);
    long identity = in.getLong();
    applyOnce(
        key,
        again,
        () -> {
          linkNameless(place, identity);
          place.tree().unlink(place.name());
        },
        () -> !place.exists());
  }

  /** Links a file into the directory of files without names. */
  private void linkNameless(GuestPath place, long identity) throws LinuxException {
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

  private static void setOwner(GuestPath place, int uid, int gid) throws LinuxException {
    try (Fd fd = place.tree().openAny(place.name())) {
      setOwner(fd, uid, gid);
    }
  }

  /** Sets the owner. A host that is not root cannot change owners, so the files stay its own. */
  static void setOwner(Fd fd, int uid, int gid) throws LinuxException {
    try {
      TreeAttributes.setOwner(fd, uid, gid);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EPERM) {
        throw e;
      }
    }
  }
}
