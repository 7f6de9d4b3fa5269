// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Controls device-mapper devices, by the requests of linux/dm-ioctl.h on {@code
 * /dev/mapper/control}. Devices are named; a name has at most 127 bytes. Needs root.
 *
 * <p>A device has an active and an inactive slot for a table: a table is loaded into the inactive
 * slot, and resuming moves it to the active slot, where it replaces the previous one. Processes
 * that have the device open do not notice.
 *
 * <p>Thread-safe. A failure is a {@link LinuxException}: {@code ENXIO} for an absent device, {@code
 * EBUSY} for a taken name or a device in use, {@code EINVAL} for a table that a target refuses; the
 * target gives its reason in the kernel's log only.
 */
public final class DeviceMapper implements AutoCloseable {
  private static final Path CONTROL = Path.of("/dev/mapper/control");
  private static final int DATA_BYTES = 16 << 10;

  // _IOWR(0xfd, number, struct dm_ioctl)
  private static final long REQUEST = 0xC138FD00L;
  private static final int VERSION = 0;
  private static final int LIST_DEVICES = 2;
  private static final int DEV_CREATE = 3;
  private static final int DEV_REMOVE = 4;
  private static final int DEV_RENAME = 5;
  private static final int DEV_SUSPEND = 6;
  private static final int DEV_STATUS = 7;
  private static final int DEV_WAIT = 8;
  private static final int TABLE_LOAD = 9;
  private static final int TABLE_CLEAR = 10;
  private static final int TABLE_STATUS = 12;
  private static final int LIST_VERSIONS = 13;
  private static final int TARGET_MSG = 14;

  /**
   * Tells udev, if it runs, to ignore the device and not to look for file systems, volume groups or
   * partitions on a guest's data. DM_UDEV_DISABLE_{SUBSYSTEM,DISK,OTHER}_RULES of libdevmapper.h,
   * in the upper half of the cookie sent with the event.
   */
  private static final int HANDS_OFF = (2 | 4 | 8) << 16;

  private final Fd control;

  private DeviceMapper(Fd control) {
    this.control = control;
  }

  /**
   * Opens it.
   *
   * @throws LinuxException {@code ENOENT}, {@code ENODEV} or {@code ENXIO} when the kernel has no
   *     device-mapper, {@code EACCES} without the permission
   */
  public static DeviceMapper open() throws LinuxException {
    Fd control = Fd.open(CONTROL, Set.of(OpenFlag.READ, OpenFlag.WRITE), 0);
    boolean done = false;
    try {
      DeviceMapper mapper = new DeviceMapper(control);
      mapper.version();
      done = true;
      return mapper;
    } finally {
      if (!done) {
        control.close();
      }
    }
  }

  /** Returns the version of the interface, such as {@code 4.47.0}. */
  public String version() throws LinuxException {
    try (DmRequest request = new DmRequest("", 0)) {
      call("DM_VERSION", VERSION, request);
      int[] version = request.version();
      return version[0] + "." + version[1] + "." + version[2];
    }
  }

  /**
   * Returns the targets the kernel knows now, with their versions; loading modules may add more.
   */
  public Map<String, String> targets() throws LinuxException {
    try (DmRequest request = answered("DM_LIST_VERSIONS", LIST_VERSIONS, "", 0)) {
      return request.versions();
    }
  }

  /** Returns all devices of the host, by name. */
  public Map<String, DeviceNumber> devices() throws LinuxException {
    try (DmRequest request = answered("DM_LIST_DEVICES", LIST_DEVICES, "", 0)) {
      return request.deviceNames();
    }
  }

  /** Makes a device without a table. */
  public DmDevice create(String name) throws LinuxException {
    return simple("DM_DEV_CREATE", DEV_CREATE, name, 0);
  }

  /** Returns the state of a device. */
  public DmDevice info(String name) throws LinuxException {
    return simple("DM_DEV_STATUS", DEV_STATUS, name, 0);
  }

  /** Loads a table into the inactive slot, where it replaces any other loaded table. */
  public DmDevice load(String name, boolean readOnly, List<DmTarget> table) throws LinuxException {
    try (DmRequest request = DmRequest.table(name, table)) {
      call("DM_TABLE_LOAD", TABLE_LOAD, request.flags(readOnly ? DmRequest.READONLY : 0));
      return request.device();
    }
  }

  /** Drops the table that was loaded and is not in use. */
  public void clearTable(String name) throws LinuxException {
    simple("DM_TABLE_CLEAR", TABLE_CLEAR, name, 0);
  }

  /**
   * Holds back all further requests and waits for those in flight. A file system mounted on the
   * device is not frozen: the device belongs to a guest, not to this host.
   */
  public DmDevice suspend(String name) throws LinuxException {
    return simple("DM_DEV_SUSPEND", DEV_SUSPEND, name, DmRequest.SUSPEND | DmRequest.SKIP_LOCKFS);
  }

  /** Activates the loaded table, if there is one, and lets the requests continue. */
  public DmDevice resume(String name) throws LinuxException {
    return simple("DM_DEV_SUSPEND", DEV_SUSPEND, name, 0);
  }

  /** Returns the active table as the targets print it, with devices as {@code major:minor}. */
  public List<DmTarget> table(String name) throws LinuxException {
    try (DmRequest request =
        answered("DM_TABLE_STATUS", TABLE_STATUS, name, DmRequest.STATUS_TABLE)) {
      return request.targets();
    }
  }

  /** Returns the status that the targets of the active table report. */
  public List<DmTarget> status(String name) throws LinuxException {
    // Without a flush: the question must not wait for the device.
    try (DmRequest request = answered("DM_TABLE_STATUS", TABLE_STATUS, name, DmRequest.NOFLUSH)) {
      return request.targets();
    }
  }

  /**
   * Waits until a device has had more events than the given number of them.
   *
   * @throws LinuxException {@code ENXIO} when the device is removed meanwhile
   */
  public DmDevice waitForEvent(String name, int eventNumber) throws LinuxException {
    try (DmRequest request = new DmRequest(name, DATA_BYTES)) {
      call("DM_DEV_WAIT", DEV_WAIT, request.event(eventNumber));
      return request.device();
    }
  }

  /**
   * Removes a device.
   *
   * @param deferred whether to remove a device in use as soon as it is closed, instead of failing
   *     with {@code EBUSY}
   * @return whether it is gone now
   */
  public boolean remove(String name, boolean deferred) throws LinuxException {
    try (DmRequest request = new DmRequest(name, 0)) {
      request.event(HANDS_OFF).flags(deferred ? DmRequest.DEFERRED_REMOVE : 0);
      call("DM_DEV_REMOVE", DEV_REMOVE, request);
      // The kernel leaves the flag set when it has put the removal off.
      return (request.memory().getInt(DmRequest.FLAGS) & DmRequest.DEFERRED_REMOVE) == 0;
    }
  }

  /** Gives a device another name. */
  public void rename(String name, String newName) throws LinuxException {
    try (DmRequest request = new DmRequest(name, DmRequest.NAME_BYTES)) {
      call("DM_DEV_RENAME", DEV_RENAME, request.event(HANDS_OFF).data(0, newName));
    }
  }

  /**
   * Sends a message to the target that serves a sector of the device.
   *
   * @param text words, as the target's documentation gives them
   */
  public void message(String name, String text) throws LinuxException {
    try (DmRequest request = new DmRequest(name, DATA_BYTES)) {
      call("DM_TARGET_MSG", TARGET_MSG, request.data(DmRequest.MESSAGE_TEXT, text));
    }
  }

  private DmDevice simple(String call, int number, String name, int flags) throws LinuxException {
    try (DmRequest request = new DmRequest(name, 0)) {
      if (number == DEV_SUSPEND && (flags & DmRequest.SUSPEND) == 0) {
        request.event(HANDS_OFF);
      }
      call(call, number, request.flags(flags));
      return request.device();
    }
  }

  /** Asks, with more room for the answer until it fits. The caller closes. */
  private DmRequest answered(String call, int number, String name, int flags)
      throws LinuxException {
    for (int bytes = DATA_BYTES; ; bytes *= 4) {
      DmRequest request = new DmRequest(name, bytes);
      boolean done = false;
      try {
        call(call, number, request.flags(flags));
        done = !request.isFull();
        if (done) {
          return request;
        }
      } finally {
        if (!done) {
          request.close();
        }
      }
    }
  }

  private void call(String call, int number, DmRequest request) throws LinuxException {
    while (true) {
      int result = FileCalls.ioctl(control.number(), REQUEST | number, request.address());
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result >= 0) {
        return;
      }
      // A waiting request is interrupted when the JVM receives one of its own signals.
      if (errno != Errnos.EINTR) {
        String name = request.memory().getString(DmRequest.NAME);
        throw new LinuxException(
            "ioctl " + call, errno, name.isEmpty() ? CONTROL.toString() : name);
      }
    }
  }

  /** Closes the control device. The devices stay. Idempotent. */
  @Override
  public void close() {
    control.close();
  }
}
