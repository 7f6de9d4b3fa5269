// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import dev.ramet.backends.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.block.DeviceNumber;
import dev.ramet.linux.block.DmTarget;
import dev.ramet.linux.block.LoopDevice;
import dev.ramet.linux.file.Fd;
import java.util.List;

/**
 * Replaces the table of a device while it is open: new requests wait, requests in flight end, then
 * another table becomes active.
 *
 * <p>Not thread-safe.
 */
final class DeviceChanges {
  private final Devices devices;
  private final DeviceMapper mapper;
  private final Steps steps;

  DeviceChanges(Devices devices) {
    this.devices = devices;
    this.mapper = devices.mapper();
    this.steps = devices.files().steps();
  }

  /** An action that runs while a device is suspended. */
  interface Switch {
    void run() throws LinuxException;
  }

  /**
   * Freezes the top layer of a volume whose device is active and adds a new layer on top, while the
   * device may be open. The kernel hands the old store, with its in-memory state, to the new device
   * of the frozen layer, so the time does not depend on how much the store holds.
   *
   * @param record runs while the volume is suspended: from then on the files agree with the kernel
   * @param back undoes {@code record}
   */
  void freeze(
      long device, Layer frozen, Layer next, Devices.Stack stack, Switch record, Switch back)
      throws LinuxException {
    String volume = devices.volumeName(device);
    String layer = devices.layerName(frozen.id());
    List<DmTarget> table = mapper.table(volume);
    steps.before("make device");
    mapper.create(layer);
    boolean recorded = false;
    boolean done = false;
    try (Fd file = devices.files().open(next, true);
        LoopDevice loop = LoopDevice.show(file, volume, false, true)) {
      steps.before("load table");
      DeviceNumber number = mapper.load(layer, true, table).number();
      if (frozen.isFlat()) {
        steps.before("resume");
        mapper.resume(layer);
      }
      devices.load(volume, stack.sizeBytes(next), number, loop, true);
      steps.before("suspend");
      mapper.suspend(volume);
      steps.before("record layer");
      // Also when it fails in the middle: the files may say so already.
      recorded = true;
      record.run();
      if (!frozen.isFlat()) {
        steps.before("resume");
        mapper.resume(layer);
      }
      done = true;
      devices.adopt(layer, number);
    } finally {
      if (!done) {
        // The order matters: a device cannot be resumed while another one waits to take over its
        // store.
        steps.before("clear table");
        mapper.clear(volume);
        steps.before("remove device");
        mapper.remove(layer, true);
        try {
          if (recorded) {
            back.run();
          }
        } finally {
          // Whatever the files say, because users of the device are waiting.
          steps.before("resume");
          mapper.resume(volume);
        }
      }
    }
    steps.before("resume");
    mapper.resume(volume);
  }

  /** Turns the device of a volume, if it is active, into that of a frozen layer. */
  void seal(long device, Layer top) throws LinuxException {
    String volume = devices.volumeName(device);
    if (!devices.isActive(volume)) {
      return;
    }
    reload(volume, true, mapper.table(volume));
    rename(volume, devices.layerName(top.id()));
  }

  /** Takes {@link #seal} back. */
  void unseal(long device, Layer top) throws LinuxException {
    String layer = devices.layerName(top.id());
    if (!devices.isActive(layer)) {
      return;
    }
    reload(layer, false, mapper.table(layer));
    rename(layer, devices.volumeName(device));
  }

  private void rename(String from, String to) throws LinuxException {
    steps.before("rename device");
    mapper.rename(from, to);
    devices.renamed(from, to);
  }

  private void reload(String name, boolean readOnly, List<DmTarget> table) throws LinuxException {
    steps.before("load table");
    mapper.load(name, readOnly, table);
    steps.before("suspend");
    mapper.suspend(name);
    steps.before("resume");
    mapper.resume(name);
  }

  /**
   * Installs the table that the files prescribe in an existing device of a volume, and keeps
   * nothing of the old table. The device stays suspended throughout, because the new table reads
   * what the old one wrote.
   */
  void restore(long device, Layer top, Devices.Stack stack) throws LinuxException {
    String volume = devices.volumeName(device);
    steps.before("suspend");
    mapper.suspend(volume);
    try {
      devices.load(volume, top, stack, true);
    } finally {
      steps.before("resume");
      devices.adopt(mapper.resume(volume));
    }
  }

  /**
   * Puts another file with the same content under the device of a frozen layer, if it is active.
   * The store's table is read before any device is suspended.
   */
  void replace(Layer layer, Devices.Stack stack) throws LinuxException {
    String name = devices.layerName(layer.id());
    if (devices.isActive(name)) {
      devices.load(name, layer, stack, false);
      steps.before("suspend");
      mapper.suspend(name);
      steps.before("resume");
      mapper.resume(name);
    }
  }
}
