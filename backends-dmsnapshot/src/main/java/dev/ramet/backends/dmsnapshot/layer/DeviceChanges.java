// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.backends.disk.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.block.DeviceNumber;
import dev.ramet.linux.block.DmTarget;
import dev.ramet.linux.block.LoopDevice;
import dev.ramet.linux.file.Fd;
import java.util.List;

/**
 * Changes the table of a device while it is open: suspends it, which holds new requests and waits
 * for those in progress, and puts another table in use.
 *
 * <p>Not thread-safe.
 */
public final class DeviceChanges {
  private final Devices devices;
  private final DeviceMapper mapper;
  private final Steps steps;

  DeviceChanges(Devices devices) {
    this.devices = devices;
    this.mapper = devices.mapper();
    this.steps = devices.files().steps();
  }

  /** An action that runs while a device is suspended. */
  public interface Switch {
    void run() throws LinuxException;
  }

  /**
   * Freezes the top of a volume whose device is active and puts a new layer on it, while the device
   * stays open. The kernel hands the old store and its in-memory state to the new device of the
   * frozen layer, so the time does not depend on how much the store holds.
   *
   * @param record runs while the volume is suspended and makes the files match the kernel
   * @param back undoes that
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
        LoopDevice loop = LoopDevice.attach(file, volume, false, true)) {
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
      // Set before, because a failed call may already have changed the files.
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
        // In this order: a device cannot be resumed while another is waiting to take over its
        // store.
        steps.before("clear table");
        mapper.clearTable(volume);
        steps.before("remove device");
        mapper.remove(layer, true);
        try {
          if (recorded) {
            back.run();
          }
        } finally {
          // Even if the files could not be restored, because users of the device are waiting.
          steps.before("resume");
          mapper.resume(volume);
        }
      }
    }
    steps.before("resume");
    mapper.resume(volume);
  }

  /** Turns a volume's device, if active, into the device of a frozen layer. */
  void seal(long device, Layer top) throws LinuxException {
    String volume = devices.volumeName(device);
    if (!devices.isActive(volume)) {
      return;
    }
    reload(volume, true, mapper.table(volume));
    rename(volume, devices.layerName(top.id()));
  }

  /** Undoes {@link #seal}. */
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
   * Replaces the table of a volume's existing device by the one that the files require, without
   * reusing the old one's state. The device is suspended throughout, because the new table reads
   * data that the old one wrote.
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
   * Switches the device of a frozen layer, if active, to another file with the same content. The
   * new table is read before the device is suspended.
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
