// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A hash table in the kernel that BPF programs and this process share (bpf(2), {@code
 * BPF_MAP_TYPE_LRU_HASH}). If it is full, the least recently used entries are evicted. It lives as
 * long as a program uses it or it is open here. Thread-safe.
 */
public final class BpfMap implements AutoCloseable {
  private static final int BPF_MAP_CREATE = 0;
  private static final int BPF_MAP_LOOKUP_ELEM = 1;
  private static final int BPF_MAP_DELETE_ELEM = 3;
  private static final int LRU_HASH = 9;
  private static final int CREATE_BYTES = 48;
  private static final int ELEMENT_BYTES = 32;
  private static final byte[] NAME = "ramet_relay".getBytes(StandardCharsets.US_ASCII);

  private final int number;
  private final int keyBytes;
  private final int valueBytes;
  private boolean closed;

  private BpfMap(int number, int keyBytes, int valueBytes) {
    this.number = number;
    this.keyBytes = keyBytes;
    this.valueBytes = valueBytes;
  }

  /**
   * Makes an empty table.
   *
   * @param keyBytes size of each key
   * @param valueBytes size of each value
   * @param most so many entries
   * @throws LinuxException EPERM without the privileges, EINVAL on a kernel without
   */
  public static BpfMap create(int keyBytes, int valueBytes, int most) throws LinuxException {
    try (NativeBuffer attributes = NativeBuffer.allocate(CREATE_BYTES)) {
      ByteBuffer view = attributes.view(0, CREATE_BYTES).order(ByteOrder.nativeOrder());
      view.putInt(LRU_HASH).putInt(keyBytes).putInt(valueBytes).putInt(most);
      view.position(28).put(NAME);
      long map = CgroupProgram.bpf(BPF_MAP_CREATE, attributes.address(), CREATE_BYTES);
      int errno = map < 0 ? Native.getLastError() : 0;
      if (map < 0) {
        throw new LinuxException("bpf BPF_MAP_CREATE", errno, "a table");
      }
      return new BpfMap((int) map, keyBytes, valueBytes);
    }
  }

  /** Returns the descriptor, for programs that use the table. */
  synchronized int number() {
    if (closed) {
      throw new IllegalStateException("a table that is closed");
    }
    return number;
  }

  /**
   * Removes an entry and returns its value.
   *
   * @param key in the byte order of this machine
   * @return the value, or null if there is none
   */
  public synchronized byte @Nullable [] take(byte[] key) throws LinuxException {
    if (key.length != keyBytes) {
      throw new IllegalArgumentException("a key of " + key.length + " bytes");
    }
    if (closed) {
      return null;
    }
    int keyAt = ELEMENT_BYTES;
    int valueAt = keyAt + ((keyBytes + Long.BYTES - 1) / Long.BYTES) * Long.BYTES;
    try (NativeBuffer memory = NativeBuffer.allocate(valueAt + valueBytes)) {
      memory.view(keyAt, keyBytes).put(key);
      ByteBuffer attributes = memory.view(0, ELEMENT_BYTES).order(ByteOrder.nativeOrder());
      attributes.putInt(0, number);
      attributes.putLong(8, memory.address() + keyAt).putLong(16, memory.address() + valueAt);
      if (!done("BPF_MAP_LOOKUP_ELEM", BPF_MAP_LOOKUP_ELEM, memory)) {
        return null;
      }
      byte[] value = new byte[valueBytes];
      memory.view(valueAt, valueBytes).get(value);
      attributes.putLong(16, 0); // Attributes that a call does not use must be 0.
      done("BPF_MAP_DELETE_ELEM", BPF_MAP_DELETE_ELEM, memory);
      return value;
    }
  }

  private static boolean done(String call, int command, NativeBuffer memory) throws LinuxException {
    long result = CgroupProgram.bpf(command, memory.address(), ELEMENT_BYTES);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0 && errno != LinuxException.ENOENT) {
      throw new LinuxException("bpf " + call, errno, "a table");
    }
    return result >= 0;
  }

  /** Closes the map; programs that use it continue. Idempotent. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      ProcessCalls.close(number);
    }
  }
}
