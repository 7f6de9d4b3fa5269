// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.disk.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.block.DeviceNumber;
import dev.ramet.linux.block.DmDevice;
import dev.ramet.linux.block.DmTarget;
import dev.ramet.linux.block.LoopDevice;
import dev.ramet.linux.file.Fd;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The device-mapper devices of a root: {@code …l<n>} for the frozen layer n, read-only, and {@code
 * …v<d>} for a volume. Each has one target, {@code linear} or {@code snapshot}, on a loop device
 * that shows the layer's file and lives as long as the table that uses it. A layer larger than its
 * parent stands on {@code …w<n>.<g>}, which shows the parent followed by zeros.
 *
 * <p>Not thread-safe.
 */
public final class Devices implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Devices.class.getName());

  private final DeviceMapper mapper;
  private final String prefix;
  private final LayerFiles files;
  private final Steps steps;

  /** The devices that exist and are usable, by name. */
  private final Map<String, DeviceNumber> active = new HashMap<>();

  public Devices(DeviceMapper mapper, String prefix, LayerFiles files) {
    this.mapper = mapper;
    this.prefix = prefix;
    this.files = files;
    this.steps = files.steps();
  }

  /** The facts about other layers that a layer's table needs. */
  interface Stack {
    /** Returns the layer below a layer. */
    Layer parent(Layer layer);

    /** Returns the size of a layer. */
    long sizeBytes(Layer layer) throws LinuxException;
  }

  public DeviceMapper mapper() {
    return mapper;
  }

  LayerFiles files() {
    return files;
  }

  public String prefix() {
    return prefix;
  }

  public String layerName(long layer) {
    return prefix + "l" + layer;
  }

  public String volumeName(long device) {
    return prefix + "v" + device;
  }

  /** Returns the name of the device that extends a layer's parent to the layer's size. */
  public String wideName(Layer layer) {
    return prefix + "w" + layer.id() + "." + layer.generation();
  }

  /** Returns the number in a name: of a volume's device, or of a layer. */
  public long parseNumber(String name) {
    String rest = name.substring(prefix.length() + 1);
    int end = rest.indexOf('.');
    return Long.parseLong(end < 0 ? rest : rest.substring(0, end));
  }

  /** Returns whether a name is that of a volume's device. */
  public boolean isVolume(String name) {
    return name.startsWith(prefix + "v");
  }

  public boolean isActive(String name) {
    return active.containsKey(name);
  }

  /** Returns the number of an active device, or null. */
  public @Nullable DeviceNumber number(String name) {
    return active.get(name);
  }

  /** Records that a device was renamed. */
  void renamed(String from, String to) {
    DeviceNumber number = active.remove(from);
    if (number != null) {
      active.put(to, number);
    }
  }

  /** Records that a device no longer exists. */
  public void forget(String name) {
    active.remove(name);
  }

  /** Records an existing device. */
  public void adopt(DmDevice device) {
    adopt(device.name(), device.number());
  }

  /** Records an existing device. */
  void adopt(String name, DeviceNumber number) {
    active.put(name, number);
  }

  /** Returns the device of a frozen layer, creating it and all below it if needed. */
  DeviceNumber layer(Layer layer, Stack stack) throws LinuxException {
    DeviceNumber known = active.get(layerName(layer.id()));
    return known != null ? known : createDevice(layerName(layer.id()), layer, stack, false);
  }

  /** Returns the device of a volume, creating it and all below it if needed. */
  DeviceNumber volume(long device, Layer top, Stack stack) throws LinuxException {
    DeviceNumber known = active.get(volumeName(device));
    return known != null ? known : createDevice(volumeName(device), top, stack, true);
  }

  private DeviceNumber createDevice(String name, Layer layer, Stack stack, boolean writable)
      throws LinuxException {
    return createDevice(name, device -> load(device, layer, stack, writable));
  }

  private interface Loader {
    void load(String name) throws LinuxException;
  }

  private DeviceNumber createDevice(String name, Loader loader) throws LinuxException {
    steps.before("make device");
    mapper.create(name);
    boolean done = false;
    try {
      loader.load(name);
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

  /** Loads a layer's table into a device, on a new loop device. */
  void load(String name, Layer layer, Stack stack, boolean writable) throws LinuxException {
    DeviceNumber parent = layer.isFlat() ? null : origin(layer, stack);
    revalidateStore(layer);
    try (Fd file = files.open(layer, writable);
        LoopDevice loop = LoopDevice.attach(file, name, !writable, true)) {
      load(name, stack.sizeBytes(layer), parent, loop, writable);
    }
  }

  /** Loads a table into a device. Returns the device's resulting state. */
  DmDevice load(
      String name, long sizeBytes, @Nullable DeviceNumber parent, LoopDevice loop, boolean writable)
      throws LinuxException {
    steps.before("load table");
    return mapper.load(name, !writable, List.of(snapshotTarget(sizeBytes, parent, loop.number())));
  }

  /** Returns the device below a store, extended to the store's size if needed. */
  private DeviceNumber origin(Layer layer, Stack stack) throws LinuxException {
    Layer parent = stack.parent(layer);
    long size = stack.sizeBytes(layer);
    long there = stack.sizeBytes(parent);
    DeviceNumber known = active.get(wideName(layer));
    if (known != null || there == size) {
      return known != null ? known : layer(parent, stack);
    }
    DeviceNumber below = layer(parent, stack);
    try (Fd file = files.makeZeros(size - there);
        LoopDevice loop = LoopDevice.attach(file, wideName(layer), true, true)) {
      long sectors = there / DmTarget.SECTOR_BYTES;
      long added = (size - there) / DmTarget.SECTOR_BYTES;
      return createDevice(
          wideName(layer),
          name ->
              mapper.load(
                  name,
                  true,
                  List.of(
                      new DmTarget(0, sectors, "linear", below + " 0"),
                      new DmTarget(sectors, added, "linear", loop.number() + " 0"))));
    }
  }

  private void revalidateStore(Layer layer) throws LinuxException {
    if (layer.isFlat()) {
      return;
    }
    try (Fd file = files.open(layer, false)) {
      if (!CowStore.isInvalidated(file)) {
        return;
      }
    }
    try (Fd file = files.open(layer, true)) {
      CowStore.revalidate(file);
      LOG.log(WARNING, "the kernel had invalidated {0}; it is in use again", files.path(layer));
    }
  }

  private static DmTarget snapshotTarget(
      long size, @Nullable DeviceNumber parent, DeviceNumber loop) {
    // PO: persistent, and on overflow writes fail but the store stays valid.
    return parent == null
        ? DmTarget.spanning(size, "linear", loop + " 0")
        : DmTarget.spanning(
            size, "snapshot", parent + " " + loop + " PO " + CowStore.CHUNK_SECTORS);
  }

  /** Removes an active device once its last user has closed it. */
  public void remove(String name) throws LinuxException {
    if (active.remove(name) != null) {
      steps.before("remove device");
      mapper.remove(name, true);
    }
  }

  /** Removes a device unless it is open; returns whether it is gone. */
  boolean removeIfUnused(String name) throws LinuxException {
    try {
      steps.before("remove device");
      boolean gone = mapper.remove(name, false);
      if (gone) {
        active.remove(name);
      }
      return gone;
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
