// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.testing.Features;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Device-mapper and loop devices of the kernel this runs on. */
class DeviceMapperTest {
  private static final long SIZE = 8 << 20;

  private final Path dir;
  private final String name = "ramet-test-" + ProcessHandle.current().pid();
  private DeviceMapper mapper;

  DeviceMapperTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @BeforeEach
  void open() throws LinuxException {
    Features.deviceMapper();
    mapper = DeviceMapper.open();
  }

  @AfterEach
  void close() throws LinuxException {
    if (mapper != null) {
      for (String device : mapper.devices().keySet()) {
        if (device.startsWith(name)) {
          mapper.remove(device, true);
        }
      }
      mapper.close();
    }
  }

  private LoopDevice loop(String file, boolean readOnly) throws LinuxException {
    try (Fd fd = Fd.createNew(dir.resolve(file), 0600)) {
      fd.truncate(SIZE);
      return LoopDevice.attach(fd, file, readOnly, true);
    }
  }

  private static DmTarget linear(LoopDevice loop) {
    return DmTarget.spanning(SIZE, "linear", loop.number() + " 0");
  }

  @Test
  void whatItCanDo() throws Exception {
    assertTrue(mapper.version().startsWith("4."), mapper.version());
    assertTrue(mapper.targets().containsKey("snapshot"), () -> "no snapshot target");
    assertThrows(LinuxException.class, () -> mapper.info(name));
  }

  @Test
  void aTableIsSwappedUnderAnOpenDevice() throws Exception {
    try (LoopDevice one = loop("one", false);
        LoopDevice two = loop("two", false)) {
      mapper.create(name);
      mapper.load(name, false, List.of(linear(one)));
      DmDevice device = mapper.resume(name);
      assertTrue(device.active());
      assertEquals(List.of(linear(one)), mapper.table(name));
      ByteBuffer page = ByteBuffer.allocateDirect(4096);
      try (Fd fd = Fd.open(device.number().node(), Set.of(OpenFlag.READ, OpenFlag.WRITE), 0)) {
        assertEquals(SIZE, fd.sizeBytes());
        fd.pwrite(page.put(0, (byte) 'a'), 0);
        fd.fsync();
        assertTrue(mapper.load(name, false, List.of(linear(two))).inactive());
        assertTrue(mapper.suspend(name).suspended());
        assertFalse(mapper.resume(name).suspended());
        fd.pwrite(page.clear().put(0, (byte) 'b'), 0);
        fd.fsync();
        assertEquals(1, mapper.info(name).openCount());
        LinuxException busy = assertThrows(LinuxException.class, () -> mapper.remove(name, false));
        assertEquals(LinuxException.EBUSY, busy.errno());
        assertFalse(mapper.remove(name, true));
      }
      // The kernel does it a moment after the last user is gone.
      for (int tries = 0; mapper.devices().containsKey(name) && tries < 30_000; tries++) {
        Thread.sleep(10);
      }
      LinuxException gone = assertThrows(LinuxException.class, () -> mapper.info(name));
      assertEquals(LinuxException.ENXIO, gone.errno());
    }
    assertEquals('a', first("one"));
    assertEquals('b', first("two"));
  }

  private int first(String file) throws LinuxException {
    ByteBuffer page = ByteBuffer.allocateDirect(1);
    try (Fd fd = Fd.openRead(dir.resolve(file))) {
      fd.pread(page, 0);
    }
    return page.get(0);
  }

  @Test
  void renamesAndReadOnlyTables() throws Exception {
    try (LoopDevice one = loop("one", true)) {
      assertTrue(one.info().readOnly());
      mapper.create(name);
      mapper.load(name, true, List.of(linear(one)));
      mapper.resume(name);
      mapper.rename(name, name + "-2");
      assertTrue(mapper.info(name + "-2").readOnly());
      assertEquals(mapper.devices().get(name + "-2"), mapper.info(name + "-2").number());
      mapper.load(name + "-2", true, List.of(linear(one)));
      mapper.clearTable(name + "-2");
      assertFalse(mapper.info(name + "-2").inactive());
      LinuxException refused =
          assertThrows(LinuxException.class, () -> mapper.message(name + "-2", "hello"));
      assertEquals(LinuxException.EINVAL, refused.errno());
      assertTrue(mapper.remove(name + "-2", false));
    }
  }

  @Test
  void anEventEndsTheWait() throws Exception {
    try (LoopDevice one = loop("one", false)) {
      mapper.create(name);
      mapper.load(name, false, List.of(linear(one)));
      int before = mapper.resume(name).eventNumber();
      CompletableFuture<DmDevice> waiting =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return mapper.waitForEvent(name, before);
                } catch (LinuxException e) {
                  throw new AssertionError(e);
                }
              });
      // A new name is an event; the waiter, which may not wait yet, must have found the old one.
      while (!waiting.isDone()) {
        Thread.sleep(50);
        mapper.rename(name, name + "-2");
        mapper.rename(name + "-2", name);
      }
      assertTrue(waiting.get(5, TimeUnit.MINUTES).eventNumber() > before);
    }
  }

  @Test
  void aLoopDeviceGrowsAndGoesByItself() throws Exception {
    DeviceNumber number;
    try (LoopDevice loop = loop("one", false)) {
      number = loop.number();
      assertEquals(SIZE, loop.sizeBytes());
      try (Fd fd = Fd.open(dir.resolve("one"), Set.of(OpenFlag.WRITE), 0)) {
        fd.truncate(2 * SIZE);
        assertEquals(fd.stat().inode(), loop.info().file());
      }
      loop.refreshSize();
      assertEquals(2 * SIZE, loop.sizeBytes());
      loop.detach();
    }
    try (LoopDevice loop = LoopDevice.open(number, false)) {
      LinuxException e = assertThrows(LinuxException.class, loop::info);
      assertEquals(LinuxException.ENXIO, e.errno());
    }
  }

  @Test
  void aNumberOfAnotherKindIsNoLoopDevice() {
    assertThrows(
        IllegalArgumentException.class, () -> LoopDevice.open(new DeviceNumber(254, 1), false));
  }
}
