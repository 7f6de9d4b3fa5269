// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.backends.dmsnapshot.record.NodeRecord;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceNumber;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The active devices of nodes, and changes to them. Thread-safe, guarded by the lock of the {@link
 * LayerStore}.
 */
public final class LiveDevices implements AutoCloseable {
  /** The longest wait during closing for the kernel to release unused layers. */
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final LayerStore store;
  private final Devices devices;
  private final DeviceChanges changes;

  /** The volumes that have a device now, by the number in the device's name. */
  private final Map<Long, NodeRecord> active = new HashMap<>();

  public LiveDevices(LayerStore store) {
    this.store = store;
    this.devices = store.devices();
    this.changes = new DeviceChanges(devices);
  }

  /** Returns the device of a frozen layer, creating it if needed. */
  public Path attachLayer(long id) throws LinuxException {
    synchronized (store) {
      return devices.layer(store.layer(id), store).node();
    }
  }

  /** Returns the device of a volume, creating it if needed. */
  public Path attachVolume(long device, long top) throws LinuxException {
    synchronized (store) {
      DeviceNumber number = devices.volume(device, store.layer(top), store);
      active.put(device, new NodeRecord(top, device));
      return number.node();
    }
  }

  /** Returns the volumes that have a device. Hold the store's lock to rely on the result. */
  public List<NodeRecord> activeVolumes() {
    synchronized (store) {
      return List.copyOf(active.values());
    }
  }

  /** Opens the device of a volume for reading; returns null if it has none. */
  public @Nullable Fd openVolume(long device) throws LinuxException {
    DeviceNumber number;
    synchronized (store) {
      number = devices.number(devices.volumeName(device));
    }
    return number == null ? null : Fd.open(number.node(), Set.of(OpenFlag.READ), 0);
  }

  /**
   * Freezes the top of a volume and puts a new layer on it.
   *
   * @param record makes the volume's file name the new layer
   * @param back makes it name the old one again
   */
  public void freeze(
      long device, long top, long next, DeviceChanges.Switch record, DeviceChanges.Switch back)
      throws LinuxException {
    synchronized (store) {
      if (devices.isActive(devices.volumeName(device))) {
        changes.freeze(device, store.layer(top), store.layer(next), store, record, back);
        active.put(device, new NodeRecord(next, device));
      } else {
        record(record, back);
      }
      store.freeze(top);
      // The volume now stands on the new layer, which took over its use of the old top.
      store.removeUser(top);
    }
  }

  private static void record(DeviceChanges.Switch record, DeviceChanges.Switch back)
      throws LinuxException {
    boolean done = false;
    try {
      record.run();
      done = true;
    } finally {
      if (!done) {
        back.run();
      }
    }
  }

  /** Turns a volume's device, if any, into the device of a frozen layer. */
  public void seal(long device, long top) throws LinuxException {
    synchronized (store) {
      changes.seal(device, store.layer(top));
      active.remove(device);
      store.freeze(top);
    }
  }

  /** Undoes {@link #seal}. */
  public void unseal(long device, long top) throws LinuxException {
    synchronized (store) {
      store.isTop(top);
      changes.unseal(device, store.layer(top));
      if (devices.isActive(devices.volumeName(device))) {
        active.put(device, new NodeRecord(top, device));
      }
    }
  }

  /** Replaces the table of a volume's device by the one that the files require. */
  public void restore(long device, long top) throws LinuxException {
    synchronized (store) {
      changes.restore(device, store.layer(top), store);
      active.put(device, new NodeRecord(top, device));
    }
  }

  /** Removes a volume's device once its last user has closed it. */
  public void remove(long device) throws LinuxException {
    synchronized (store) {
      active.remove(device);
      devices.remove(devices.volumeName(device));
    }
  }

  /** Removes a volume's device now unless it is open; returns whether it is gone. */
  public boolean removeIfUnused(NodeRecord volume) throws LinuxException {
    synchronized (store) {
      String name = devices.volumeName(volume.device());
      if (devices.isActive(name) && !devices.removeIfUnused(name)) {
        return false;
      }
      active.remove(volume.device());
      devices.remove(devices.wideName(store.layer(volume.layer())));
      return true;
    }
  }

  /** Removes the devices that nobody has open and leaves the others. */
  @Override
  public void close() {
    synchronized (store) {
      try (devices) {
        new UnusedDevices(devices).remove(TIMEOUT);
      } catch (LinuxException e) {
        // The next process that opens the root tries again.
        System.getLogger(LiveDevices.class.getName())
            .log(System.Logger.Level.WARNING, "devices left in place: {0}", e.getMessage());
      }
    }
  }
}
