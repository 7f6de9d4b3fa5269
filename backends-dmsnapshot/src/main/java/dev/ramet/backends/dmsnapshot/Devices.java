// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.Steps;
import dev.ramet.linux.DeviceMapper;
import dev.ramet.linux.DeviceNumber;
import dev.ramet.linux.DmDevice;
import dev.ramet.linux.DmTarget;
import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.LoopDevice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The device-mapper devices of a root: {@code …l<n>} for the frozen layer n, read-only, and {@code
 * …v<d>} for a volume. Each has one target, {@code linear} or {@code snapshot}, on a loop device
 * that shows the layer's file and lives as long as the table that uses it.
 *
 * <p>Not thread-safe.
 */
final class Devices implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Devices.class.getName());

  private final DeviceMapper mapper;
  private final String prefix;
  private final LayerFiles files;
  private final Steps steps;

  /** Devices that are there and in order, by name. */
  private final Map<String, DeviceNumber> active = new HashMap<>();

  Devices(DeviceMapper mapper, String prefix, LayerFiles files) {
    this.mapper = mapper;
    this.prefix = prefix;
    this.files = files;
    this.steps = files.steps();
  }

  /** Something to be done while a device is at rest. */
  interface Switch {
    void run() throws LinuxException;
  }

  /** What a layer's table needs to know of the rest. */
  interface Stack {
    /** The layer a layer stands on. */
    Layer parent(Layer layer);

    /** How large its device is. */
    long sizeBytes(Layer layer) throws LinuxException;
  }

  DeviceMapper mapper() {
    return mapper;
  }

  String prefix() {
    return prefix;
  }

  String layerName(long layer) {
    return prefix + "l" + layer;
  }

  String volumeName(long device) {
    return prefix + "v" + device;
  }

  boolean isActive(String name) {
    return active.containsKey(name);
  }

  /** The number of an active device. */
  @Nullable DeviceNumber number(String name) {
    return active.get(name);
  }

  /** Takes a device that is there into account. */
  void adopt(DmDevice device) {
    active.put(device.name(), device.number());
  }

  /** The device of a frozen layer, made when it is not there, with all it stands on. */
  DeviceNumber layer(Layer layer, Stack stack) throws LinuxException {
    DeviceNumber known = active.get(layerName(layer.id()));
    return known != null ? known : make(layerName(layer.id()), layer, stack, false);
  }

  /** The device of a volume, made when it is not there, with all it stands on. */
  DeviceNumber volume(long device, Layer top, Stack stack) throws LinuxException {
    DeviceNumber known = active.get(volumeName(device));
    return known != null ? known : make(volumeName(device), top, stack, true);
  }

  private DeviceNumber make(String name, Layer layer, Stack stack, boolean writable)
      throws LinuxException {
    steps.before("make device");
    mapper.create(name);
    boolean done = false;
    try {
      load(name, layer, stack, writable);
      steps.before("resume");
      DmDevice device = mapper.resume(name);
      active.put(name, device.number());
      done = true;
      return device.number();
    } finally {
      if (!done) {
        steps.before("remove device");
        mapper.remove(name, true);
      }
    }
  }

  /** Loads a layer's table into a device, on a loop device of its own. */
  private void load(String name, Layer layer, Stack stack, boolean writable) throws LinuxException {
    DeviceNumber parent = layer.isFlat() ? null : layer(stack.parent(layer), stack);
    long size = stack.sizeBytes(layer);
    revive(layer);
    try (Fd file = files.open(layer, writable);
        LoopDevice loop = LoopDevice.show(file, name, !writable, true)) {
      steps.before("load table");
      mapper.load(name, !writable, List.of(target(size, parent, loop.number())));
    }
  }

  private void revive(Layer layer) throws LinuxException {
    if (layer.isFlat()) {
      return;
    }
    try (Fd file = files.open(layer, true)) {
      if (CowStore.revive(file)) {
        LOG.log(WARNING, "the kernel had given up {0}: it is used again", files.path(layer));
      }
    }
  }

  private static DmTarget target(long size, @Nullable DeviceNumber parent, DeviceNumber loop) {
    // Persistent, and when it overflows writes fail instead of everything (PO).
    return parent == null
        ? DmTarget.whole(size, "linear", loop + " 0")
        : DmTarget.whole(size, "snapshot", parent + " " + loop + " PO " + CowStore.CHUNK_SECTORS);
  }

  /**
   * Freezes the top of a volume whose device is active and puts a new layer on it, under whoever
   * has the device open. The kernel hands the old store, with what it has in memory of it, to the
   * new device of the frozen layer, so the time does not depend on how much is in it.
   *
   * @param record is run while the volume is at rest: from then on files say the same as the kernel
   * @param back takes that back
   */
  void freeze(long device, Layer frozen, Layer next, Stack stack, Switch record, Switch back)
      throws LinuxException {
    String volume = volumeName(device);
    String layer = layerName(frozen.id());
    List<DmTarget> table = mapper.table(volume);
    steps.before("make device");
    mapper.create(layer);
    boolean recorded = false;
    boolean done = false;
    try (Fd file = files.open(next, true);
        LoopDevice loop = LoopDevice.show(file, volume, false, true)) {
      steps.before("load table");
      DeviceNumber number = mapper.load(layer, true, table).number();
      if (frozen.isFlat()) {
        steps.before("resume");
        mapper.resume(layer);
      }
      steps.before("load table");
      mapper.load(volume, false, List.of(target(stack.sizeBytes(next), number, loop.number())));
      steps.before("suspend");
      mapper.suspend(volume);
      steps.before("record layer");
      record.run();
      recorded = true;
      if (!frozen.isFlat()) {
        steps.before("resume");
        mapper.resume(layer);
      }
      done = true;
      active.put(layer, number);
    } finally {
      if (!done) {
        // In this order: what another device waits to take over from cannot be resumed.
        steps.before("clear table");
        mapper.clear(volume);
        steps.before("remove device");
        mapper.remove(layer, true);
        if (recorded) {
          back.run();
        }
        steps.before("resume");
        mapper.resume(volume);
      }
    }
    steps.before("resume");
    mapper.resume(volume);
  }

  /** Turns the device of a volume, if it is active, into that of a frozen layer. */
  void seal(long device, Layer top) throws LinuxException {
    String volume = volumeName(device);
    if (!active.containsKey(volume)) {
      return;
    }
    reload(volume, true, mapper.table(volume));
    rename(volume, layerName(top.id()));
  }

  /** Takes {@link #seal} back. */
  void unseal(long device, Layer top) throws LinuxException {
    String layer = layerName(top.id());
    if (!active.containsKey(layer)) {
      return;
    }
    reload(layer, false, mapper.table(layer));
    rename(layer, volumeName(device));
  }

  private void rename(String from, String to) throws LinuxException {
    steps.before("rename device");
    mapper.rename(from, to);
    DeviceNumber number = active.remove(from);
    if (number != null) {
      active.put(to, number);
    }
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
   * Puts the table that the files ask for under a volume's device that is there, with nothing of
   * the old one kept. At rest all the while: the new table reads what the old one wrote.
   */
  void restore(long device, Layer top, Stack stack) throws LinuxException {
    String volume = volumeName(device);
    steps.before("suspend");
    mapper.suspend(volume);
    try {
      load(volume, top, stack, true);
    } finally {
      steps.before("resume");
      active.put(volume, mapper.resume(volume).number());
    }
  }

  /**
   * Puts another file with the same content under the device of a frozen layer, if it is active.
   * The table is read before anything stands still.
   */
  void replace(Layer layer, Stack stack) throws LinuxException {
    String name = layerName(layer.id());
    if (active.containsKey(name)) {
      load(name, layer, stack, false);
      steps.before("suspend");
      mapper.suspend(name);
      steps.before("resume");
      mapper.resume(name);
    }
  }

  /** Removes a device if it is there, when its last user has closed it. */
  void remove(String name) throws LinuxException {
    if (active.remove(name) != null) {
      steps.before("remove device");
      mapper.remove(name, true);
    }
  }

  /** Removes all devices that nobody has open, those on top first. */
  void removeUnused() throws LinuxException {
    boolean progress = true;
    while (progress) {
      progress = false;
      for (String name : List.copyOf(mapper.devices().keySet())) {
        if (name.startsWith(prefix) && removeIfUnused(name)) {
          active.remove(name);
          progress = true;
        }
      }
    }
  }

  private boolean removeIfUnused(String name) throws LinuxException {
    try {
      steps.before("remove device");
      return mapper.remove(name, false);
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EBUSY || e.errno() == LinuxException.ENXIO) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    mapper.close();
  }
}
