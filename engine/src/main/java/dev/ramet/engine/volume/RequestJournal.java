// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores the results of recent requests that must not be carried out twice. A guest that got no
 * response repeats its request: after the host ended, or after the guest itself was restored to the
 * instant in which it had sent the request. Kept in a file, so it survives the process but not a
 * loss of power, just like sandboxes.
 *
 * <p>Not thread-safe: the caller holds the volume's lock.
 */
final class RequestJournal implements AutoCloseable {
  /** Number of slots: far more than all guests of a volume can have under way. */
  static final int SLOTS = 8192;

  // Layout of a slot: epoch, number, state, errno, offset.
  private static final int SLOT_BYTES = 32;
  private static final int NUMBER = 8;
  private static final int STATE = 16;
  private static final int ERRNO = 20;
  private static final int OFFSET = 24;
  private static final int BEGUN = 1;
  private static final int DONE = 2;

  private final FileChannel channel;
  private final ByteBuffer slots;
  private final Map<Key, Integer> where = new HashMap<>();
  private int next;

  private RequestJournal(FileChannel channel, ByteBuffer slots) {
    this.channel = channel;
    this.slots = slots;
    for (int slot = 0; slot < SLOTS; slot++) {
      if (slots.getInt(slot * SLOT_BYTES + STATE) != 0) {
        where.put(key(slot), slot);
      }
    }
  }

  /**
   * Identifies a request of a guest.
   *
   * @param epoch the connection on which it was first sent
   * @param number its number on that connection
   */
  record Key(long epoch, long number) {}

  /**
   * The stored state of an earlier request.
   *
   * @param done whether it was carried out; if not, the host ended in the middle of it
   * @param errno its result, 0 for success
   * @param offset the file offset it was to write to
   */
  record StoredResult(boolean done, int errno, long offset) {}

  static RequestJournal open(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    try {
      ByteBuffer slots = ByteBuffer.allocate(SLOTS * SLOT_BYTES);
      int read = 0;
      while (read >= 0 && slots.hasRemaining()) {
        read = channel.read(slots, slots.position());
      }
      return new RequestJournal(channel, slots.clear());
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Returns the state of a request, or null if it is unknown. */
  @Nullable StoredResult find(Key key) {
    Integer slot = where.get(key);
    if (slot == null) {
      return null;
    }
    int at = slot * SLOT_BYTES;
    return new StoredResult(
        slots.getInt(at + STATE) == DONE, slots.getInt(at + ERRNO), slots.getLong(at + OFFSET));
  }

  /** Records that a request is about to be carried out. */
  void recordStart(Key key, long offset) throws IOException {
    Integer known = where.get(key);
    int slot = known == null ? next : known;
    int at = slot * SLOT_BYTES;
    if (known == null) {
      next = (next + 1) % SLOTS;
      if (slots.getInt(at + STATE) != 0) {
        where.remove(key(slot));
      }
    }
    slots.putLong(at, key.epoch()).putLong(at + NUMBER, key.number());
    slots.putInt(at + STATE, BEGUN).putInt(at + ERRNO, 0).putLong(at + OFFSET, offset);
    where.put(key, slot);
    write(at);
  }

  /** Records the result of a request. */
  void recordResult(Key key, int errno) throws IOException {
    Integer slot = where.get(key);
    if (slot != null) {
      int at = slot * SLOT_BYTES;
      slots.putInt(at + ERRNO, errno).putInt(at + STATE, DONE);
      write(at);
    }
  }

  /**
   * Writes a slot. It lies within one page of the file, so a reader sees the old slot or the new
   * one.
   */
  private void write(int at) throws IOException {
    ByteBuffer slot = slots.slice(at, SLOT_BYTES);
    while (slot.hasRemaining()) {
      channel.write(slot, (long) at + slot.position());
    }
  }

  private Key key(int slot) {
    int at = slot * SLOT_BYTES;
    return new Key(slots.getLong(at), slots.getLong(at + NUMBER));
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // The data written is in the file.
    }
  }
}
