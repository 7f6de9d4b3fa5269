// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.bpf.BpfObject.MapForm;
import dev.ramet.linux.call.ProcessCalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A map in the kernel that BPF programs and this process share (bpf(2)). It lives as long as a
 * program or another map uses it or it is open here. Keys and values are in the byte order that the
 * programs expect. Thread-safe.
 */
public final class BpfMap implements AutoCloseable {
  private static final int BPF_MAP_CREATE = 0;
  private static final int BPF_MAP_LOOKUP_ELEM = 1;
  private static final int BPF_MAP_UPDATE_ELEM = 2;
  private static final int BPF_MAP_DELETE_ELEM = 3;
  private static final int EBADF = 9;
  private static final int CREATE_BYTES = 48;
  private static final int NAME_AT = 28;
  private static final int MAX_NAME_BYTES = 15;
  private static final int ELEMENT_BYTES = 32;
  private static final String PREFIX = "ramet_";

  private final String name;
  private final int number;
  private final MapForm form;
  private boolean closed;

  private BpfMap(String name, int number, MapForm form) {
    this.name = name;
    this.number = number;
    this.form = form;
  }

  /**
   * Makes an empty map.
   *
   * @param name for people who list maps
   * @param inner a map of the form of those that this one holds; null if it holds none
   * @throws LinuxException EPERM without the privileges, EINVAL on a kernel without such maps
   */
  static BpfMap create(String name, MapForm form, @Nullable BpfMap inner) throws LinuxException {
    try (NativeBuffer attributes = NativeBuffer.allocate(CREATE_BYTES)) {
      ByteBuffer view = attributes.view(0, CREATE_BYTES).order(ByteOrder.nativeOrder());
      view.putInt(form.type()).putInt(form.keyBytes()).putInt(form.valueBytes());
      view.putInt(form.entries()).putInt(form.flags());
      view.putInt(inner == null ? 0 : inner.number());
      byte[] shown = (PREFIX + name).getBytes(StandardCharsets.US_ASCII);
      view.position(NAME_AT).put(shown, 0, Math.min(shown.length, MAX_NAME_BYTES));
      long map = CgroupProgram.bpf(BPF_MAP_CREATE, attributes.address(), CREATE_BYTES);
      int errno = map < 0 ? Native.getLastError() : 0;
      if (map < 0) {
        throw new LinuxException("bpf BPF_MAP_CREATE", errno, name);
      }
      return new BpfMap(name, (int) map, form);
    }
  }

  /** Returns the descriptor, for programs and maps that use this map. */
  synchronized int number() {
    if (closed) {
      throw new IllegalStateException("a map that is closed");
    }
    return number;
  }

  /** Puts an entry into the map, in place of the one with the same key. */
  synchronized void put(byte[] key, byte[] value) throws LinuxException {
    if (value.length != form.valueBytes()) {
      throw new IllegalArgumentException("a value of " + value.length + " bytes");
    }
    if (closed) {
      throw new LinuxException("bpf BPF_MAP_UPDATE_ELEM", EBADF, name);
    }
    try (NativeBuffer memory = element(number, key)) {
      memory.view(valueAt(), value.length).put(value);
      if (!call("BPF_MAP_UPDATE_ELEM", BPF_MAP_UPDATE_ELEM, memory)) {
        throw new LinuxException("bpf BPF_MAP_UPDATE_ELEM", LinuxException.ENOENT, name);
      }
    }
  }

  /**
   * Removes an entry and returns its value.
   *
   * @return the value, or null if there is none
   */
  public synchronized byte @Nullable [] remove(byte[] key) throws LinuxException {
    if (closed) {
      return null;
    }
    try (NativeBuffer memory = element(number, key)) {
      if (!call("BPF_MAP_LOOKUP_ELEM", BPF_MAP_LOOKUP_ELEM, memory)) {
        return null;
      }
      byte[] value = new byte[form.valueBytes()];
      memory.view(valueAt(), value.length).get(value);
      memory.view(0, ELEMENT_BYTES).putLong(16, 0); // A call's unused attributes must be 0.
      call("BPF_MAP_DELETE_ELEM", BPF_MAP_DELETE_ELEM, memory);
      return value;
    }
  }

  /** The attributes of a call about one entry, then its key and room for its value. */
  private NativeBuffer element(int map, byte[] key) throws LinuxException {
    if (key.length != form.keyBytes()) {
      throw new IllegalArgumentException("a key of " + key.length + " bytes");
    }
    NativeBuffer memory = NativeBuffer.allocate(valueAt() + form.valueBytes());
    memory.view(ELEMENT_BYTES, key.length).put(key);
    ByteBuffer attributes = memory.view(0, ELEMENT_BYTES).order(ByteOrder.nativeOrder());
    attributes.putInt(0, map);
    attributes.putLong(8, memory.address() + ELEMENT_BYTES);
    attributes.putLong(16, memory.address() + valueAt());
    return memory;
  }

  private int valueAt() {
    return ELEMENT_BYTES + ((form.keyBytes() + Long.BYTES - 1) / Long.BYTES) * Long.BYTES;
  }

  private boolean call(String call, int command, NativeBuffer memory) throws LinuxException {
    long result = CgroupProgram.bpf(command, memory.address(), ELEMENT_BYTES);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0 && errno != LinuxException.ENOENT) {
      throw new LinuxException("bpf " + call, errno, name);
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
