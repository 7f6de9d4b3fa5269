// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The argument of a device-mapper request: {@code struct dm_ioctl} and the data that follows it, by
 * the offsets of linux/dm-ioctl.h, which are the same on all 64-bit architectures.
 */
final class DmRequest implements AutoCloseable {
  static final int HEADER_BYTES = 312;
  static final int NAME_BYTES = 128;

  static final int READONLY = 1;
  static final int SUSPEND = 1 << 1;
  static final int STATUS_TABLE = 1 << 4;
  static final int ACTIVE_PRESENT = 1 << 5;
  static final int INACTIVE_PRESENT = 1 << 6;
  static final int BUFFER_FULL = 1 << 8;
  static final int SKIP_LOCKFS = 1 << 10;
  static final int NOFLUSH = 1 << 11;
  static final int DEFERRED_REMOVE = 1 << 17;

  static final int VERSION = 0;
  static final int DATA_SIZE = 12;
  static final int DATA_START = 16;
  static final int TARGET_COUNT = 20;
  static final int OPEN_COUNT = 24;
  static final int FLAGS = 28;
  static final int EVENT_NR = 32;
  static final int DEV = 40;
  static final int NAME = 48;

  // struct dm_target_spec
  static final int SPEC_BYTES = 40;
  static final int SPEC_START = 0;
  static final int SPEC_LENGTH = 8;
  static final int SPEC_NEXT = 20;
  static final int SPEC_TYPE = 24;
  static final int TYPE_BYTES = 16;

  // struct dm_name_list and struct dm_target_versions
  static final int LIST_DEV = 0;
  static final int LIST_NEXT = 8;
  static final int LIST_NAME = 12;
  static final int VERSIONS_NEXT = 0;
  static final int VERSIONS_NUMBER = 4;
  static final int VERSIONS_NAME = 16;

  // struct dm_target_msg
  static final int MESSAGE_TEXT = 8;

  private final Memory memory;

  /** Creates a request about a device, or about no device if the name is empty. */
  DmRequest(String name, int dataBytes) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length >= NAME_BYTES) {
      throw new IllegalArgumentException("a device's name has at most 127 bytes: " + name);
    }
    memory = new Memory(HEADER_BYTES + dataBytes);
    memory.clear();
    // Every kernel since 2.6 accepts version 4.0.0; newer flags are ignored or honoured whatever
    // version is given.
    memory.setInt(VERSION, 4);
    memory.setInt(DATA_SIZE, (int) memory.size());
    memory.setInt(DATA_START, HEADER_BYTES);
    memory.write(NAME, bytes, 0, bytes.length);
  }

  /** Returns a request that loads a table. */
  static DmRequest table(String name, List<DmTarget> targets) {
    int size = 0;
    for (DmTarget target : targets) {
      size += specBytes(target);
    }
    DmRequest request = new DmRequest(name, size);
    request.memory.setInt(TARGET_COUNT, targets.size());
    long at = HEADER_BYTES;
    for (DmTarget target : targets) {
      byte[] type = target.type().getBytes(StandardCharsets.UTF_8);
      if (type.length >= TYPE_BYTES) {
        throw new IllegalArgumentException("a target's name has at most 15 bytes: " + target);
      }
      byte[] parameters = target.parameters().getBytes(StandardCharsets.UTF_8);
      request.memory.setLong(at + SPEC_START, target.startSector());
      request.memory.setLong(at + SPEC_LENGTH, target.sectors());
      request.memory.setInt(at + SPEC_NEXT, specBytes(target));
      request.memory.write(at + SPEC_TYPE, type, 0, type.length);
      request.memory.write(at + SPEC_BYTES, parameters, 0, parameters.length);
      at += specBytes(target);
    }
    return request;
  }

  private static int specBytes(DmTarget target) {
    int text = target.parameters().getBytes(StandardCharsets.UTF_8).length + 1;
    return SPEC_BYTES + ((text + 7) & ~7);
  }

  DmRequest flags(int flags) {
    memory.setInt(FLAGS, flags);
    return this;
  }

  DmRequest event(int number) {
    memory.setInt(EVENT_NR, number);
    return this;
  }

  /** Puts a text where the data begins. */
  DmRequest data(int offset, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    memory.write(HEADER_BYTES + (long) offset, bytes, 0, bytes.length);
    return this;
  }

  long address() {
    return Pointer.nativeValue(memory);
  }

  Memory memory() {
    return memory;
  }

  boolean isFull() {
    return (memory.getInt(FLAGS) & BUFFER_FULL) != 0;
  }

  int[] version() {
    return memory.getIntArray(VERSION, 3);
  }

  DmDevice device() {
    int flags = memory.getInt(FLAGS);
    return new DmDevice(
        memory.getString(NAME),
        DeviceNumber.decode(memory.getLong(DEV)),
        memory.getInt(OPEN_COUNT),
        memory.getInt(EVENT_NR),
        (flags & ACTIVE_PRESENT) != 0,
        (flags & INACTIVE_PRESENT) != 0,
        (flags & SUSPEND) != 0,
        (flags & READONLY) != 0);
  }

  /** Returns the table or status that was asked for. */
  List<DmTarget> targets() {
    List<DmTarget> targets = new ArrayList<>();
    long start = memory.getInt(DATA_START);
    long at = start;
    for (int i = 0; i < memory.getInt(TARGET_COUNT); i++) {
      targets.add(
          new DmTarget(
              memory.getLong(at + SPEC_START),
              memory.getLong(at + SPEC_LENGTH),
              memory.getString(at + SPEC_TYPE),
              memory.getString(at + SPEC_BYTES)));
      // Here, unlike in a table that is loaded, it counts from the start of the first one.
      at = start + memory.getInt(at + SPEC_NEXT);
    }
    return targets;
  }

  /** Names and numbers of the devices that were asked for. */
  Map<String, DeviceNumber> deviceNames() {
    Map<String, DeviceNumber> names = new LinkedHashMap<>();
    long at = memory.getInt(DATA_START);
    int next;
    do {
      long dev = memory.getLong(at + LIST_DEV);
      // An empty list is one entry without a device.
      if (dev != 0) {
        names.put(memory.getString(at + LIST_NAME), DeviceNumber.decode(dev));
      }
      next = memory.getInt(at + LIST_NEXT);
      at += next;
    } while (next != 0);
    return names;
  }

  /** Names and versions of the targets that were asked for. */
  Map<String, String> versions() {
    Map<String, String> versions = new LinkedHashMap<>();
    long at = memory.getInt(DATA_START);
    int next;
    do {
      int[] number = memory.getIntArray(at + VERSIONS_NUMBER, 3);
      versions.put(
          memory.getString(at + VERSIONS_NAME), number[0] + "." + number[1] + "." + number[2]);
      next = memory.getInt(at + VERSIONS_NEXT);
      at += next;
    } while (next != 0);
    return versions;
  }

  @Override
  public void close() {
    memory.close();
  }
}
