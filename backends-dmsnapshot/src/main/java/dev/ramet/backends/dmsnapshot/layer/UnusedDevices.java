// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.block.DeviceNumber;
import dev.ramet.linux.block.DmTarget;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The devices of a root that nobody has open.
 *
 * <p>Not thread-safe.
 */
public final class UnusedDevices {
  private static final long PAUSE_NANOS = 5_000_000;

  private final Devices devices;
  private final DeviceMapper mapper;

  public UnusedDevices(Devices devices) {
    this.devices = devices;
    this.mapper = devices.mapper();
  }

  /** Removes all devices that nobody has open, the upper ones first. */
  public void remove() throws LinuxException {
    Set<String> left = own();
    int before;
    do {
      before = left.size();
      for (String name : left) {
        devices.removeIfUnused(name);
      }
      // Count all that are gone: the kernel also carries out deferred removals.
      left = own();
    } while (left.size() < before);
  }

  /**
   * Removes all devices that nobody has open, and retries for a while those that no device of this
   * root uses but that are still held. A deferred removal, which releases the device below, happens
   * when a kernel thread gets to it, later than the last user's close.
   */
  void remove(Duration patience) throws LinuxException {
    long end = System.nanoTime() + patience.toNanos();
    remove();
    while (isHeldByOthers() && System.nanoTime() < end) {
      LockSupport.parkNanos(PAUSE_NANOS);
      remove();
    }
  }

  private Set<String> own() throws LinuxException {
    Set<String> own = new HashSet<>(mapper.devices().keySet());
    own.removeIf(name -> !name.startsWith(devices.prefix()));
    return own;
  }

  /** Returns whether any layer's device is not used by another device of this root. */
  private boolean isHeldByOthers() throws LinuxException {
    Set<String> below = new HashSet<>();
    Set<String> layers = new HashSet<>();
    Map<String, DeviceNumber> all = mapper.devices();
    for (String name : own()) {
      try {
        for (DmTarget target : mapper.table(name)) {
          below.addAll(List.of(target.parameterWords()));
        }
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.ENXIO) {
          throw e;
        }
      }
      DeviceNumber number = all.get(name);
      if (number != null && !devices.isVolume(name)) {
        layers.add(number.toString());
      }
    }
    return !below.containsAll(layers);
  }
}
