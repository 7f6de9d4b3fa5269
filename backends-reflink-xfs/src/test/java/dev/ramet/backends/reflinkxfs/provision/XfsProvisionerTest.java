// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.reflinkxfs.ReflinkXfsProvider;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.ProvisioningStatus.State;
import dev.ramet.testing.LoopFs;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the life of a pool: made once, mounted again, unmounted and removed. */
final class XfsProvisionerTest extends XfsProvisionerGround {
  XfsProvisionerTest(@TempDir Path dir) throws Exception {
    super(dir);
  }

  @Test
  void makesAPoolOnceAndRemovesItWithoutATrace() {
    ProvisioningStatus before = provisioner.status(root);
    assertEquals(State.POSSIBLE, before.state());
    assertTrue(before.sizeBytes() > SIZE, before::toString);
    Path place = provisioner.provision(root, SIZE);
    assertEquals(root.resolve("pool"), place);
    ProvisioningStatus after = provisioner.status(root);
    assertEquals(State.ACTIVE, after.state());
    assertEquals(SIZE, after.sizeBytes());
    assertNull(after.remedy());
    assertInstanceOf(
        ProbeResult.Usable.class, new ReflinkXfsProvider().probe(new ProbeContext(place)));
    String device = Mounts.deviceAt(place);
    assertEquals(place, provisioner.provision(root, 2 * SIZE));
    assertEquals(device, Mounts.deviceAt(place));
    provisioner.remove(root);
    assertEquals(List.of(), names());
    assertFalse(LoopFs.run(List.of("losetup", "-a")).contains(pool.image().toString()));
    provisioner.remove(root);
    assertEquals(State.POSSIBLE, state());
  }

  @Test
  void theDefaultSizeFits() {
    provisioner.provision(root, null);
    long size = provisioner.status(root).sizeBytes();
    assertTrue(size >= PoolSize.MIN && size < 1L << 30, () -> "size " + size);
  }

  @Test
  void ofManyAtOnceOneMakesIt() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Path>> calls =
          Collections.nCopies(8, () -> new XfsProvisioner().provision(root, SIZE));
      for (Future<Path> place : threads.invokeAll(calls)) {
        assertEquals(pool.mountPoint(), place.get());
      }
    } finally {
      threads.shutdownNow();
    }
    String devices = LoopFs.run(List.of("losetup", "-j", pool.image().toString()));
    assertEquals(1, devices.lines().count(), devices);
    provisioner.remove(root);
    assertEquals(List.of(), names());
  }

  @Test
  void isMountedAgainAfterARestart() throws Exception {
    Path place = provisioner.provision(root, SIZE);
    Files.writeString(place.resolve("kept"), "yes");
    LoopFs.run(List.of("umount", place.toString()));
    assertEquals(State.STOPPED, state());
    assertEquals(place, provisioner.provision(root, null));
    assertEquals("yes", Files.readString(place.resolve("kept")));
  }

  @Test
  void isUnmountedWithoutALossAndNotWhileItIsInUse() throws Exception {
    assertFalse(provisioner.stop(root));
    Path place = provisioner.provision(root, SIZE);
    Path kept = Files.writeString(place.resolve("kept"), "yes");
    try (OutputStream open = Files.newOutputStream(place.resolve("open"))) {
      open.write(1);
      refused(ErrorCode.CONFLICT, () -> provisioner.stop(root));
      assertEquals(State.ACTIVE, state());
    }
    assertTrue(provisioner.stop(root));
    assertEquals(State.STOPPED, state());
    assertEquals("", LoopFs.run(List.of("losetup", "-j", pool.image().toString())));
    assertFalse(provisioner.stop(root));
    assertEquals(place, provisioner.provision(root, null));
    assertEquals("yes", Files.readString(kept));
  }

  @Test
  void whatACrashLeftIsMadeAnew() throws Exception {
    PoolMarker.write(pool, UUID.randomUUID());
    Files.writeString(pool.newImage(), "half an image");
    assertEquals(State.POSSIBLE, state());
    provisioner.provision(root, SIZE);
    assertEquals(State.ACTIVE, state());
    provisioner.remove(root);
    PoolMarker.write(pool, UUID.randomUUID());
    Files.writeString(pool.newImage(), "half an image");
    provisioner.remove(root);
    assertEquals(List.of(), names());
  }

  @Test
  void aPoolInUseIsNotRemoved() throws Exception {
    Path place = provisioner.provision(root, SIZE);
    try (OutputStream open = Files.newOutputStream(place.resolve("open"))) {
      open.write(1);
      refused(ErrorCode.CONFLICT, () -> provisioner.remove(root));
      assertEquals(State.ACTIVE, state());
    }
    provisioner.remove(root);
    assertEquals(List.of(), names());
  }

  @Test
  void thePoolIsForTheOwnerOfTheDataRootAlone() throws Exception {
    Files.setAttribute(root, "unix:uid", 65534);
    provisioner.provision(root, SIZE);
    for (Path path : List.of(pool.marker(), pool.mountPoint())) {
      assertEquals(65534, Files.getAttribute(path, "unix:uid"), path.toString());
    }
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(pool.marker())));
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(pool.mountPoint())));
  }

  @Test
  void aGoodDataRootNeedsNoPool() throws Exception {
    Path other = Files.createDirectory(dir.resolve("other"));
    try (LoopFs xfs = LoopFs.xfs(other, 320 << 20)) {
      assertEquals(State.UNNEEDED, provisioner.status(xfs.root()).state());
      assertEquals(xfs.root().toRealPath(), provisioner.provision(xfs.root(), null));
      assertEquals(0, xfs.root().toFile().list().length);
    }
  }

  @Test
  void aMissingProgramComesWithItsRemedy() {
    RametException e =
        refused(ErrorCode.HOST_UNFIT, () -> Program.require("no-such-program", "install it"));
    assertEquals("install it", e.remedy());
    RametException failed =
        refused(ErrorCode.HOST_UNFIT, () -> Program.require("mount", "look").run("--no-such"));
    assertEquals("look", failed.remedy());
  }
}
