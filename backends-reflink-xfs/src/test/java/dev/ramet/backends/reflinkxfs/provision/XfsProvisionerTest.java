// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.reflinkxfs.ReflinkXfsProvider;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.ProvisioningStatus.State;
import dev.ramet.testing.LoopFs;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class XfsProvisionerTest {
  private static final long SIZE = 304L << 20;

  private final XfsProvisioner provisioner = new XfsProvisioner();
  private final Path dir;
  private final LoopFs fs;
  private final Path root;
  private final Pool pool;

  XfsProvisionerTest(@TempDir Path dir) throws Exception {
    this.dir = dir;
    fs = LoopFs.ext4(dir, 1L << 30);
    root = fs.root().toRealPath();
    pool = new Pool(root);
  }

  @BeforeEach
  void startsEmpty() throws Exception {
    Files.deleteIfExists(root.resolve("lost+found"));
    assertEquals(List.of(), names());
  }

  @AfterEach
  void close() throws Exception {
    if (Mounts.deviceAt(pool.mountPoint()) != null) {
      LoopFs.run(List.of("umount", pool.mountPoint().toString()));
    }
    fs.close();
  }

  private List<String> names() {
    String[] names = root.toFile().list();
    List<String> sorted = new ArrayList<>(Arrays.asList(names == null ? new String[0] : names));
    Collections.sort(sorted);
    return sorted;
  }

  private State state() {
    return provisioner.status(root).state();
  }

  private static RametException refused(ErrorCode code, Executable call) {
    RametException e = assertThrows(RametException.class, call);
    assertEquals(code, e.code(), e.getMessage());
    return e;
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
  void touchesNothingItDidNotMake() throws Exception {
    for (Path foreign : List.of(pool.image(), pool.newImage(), pool.mountPoint(), pool.marker())) {
      Files.writeString(foreign, "mine");
      List<String> before = names();
      assertEquals(State.IMPOSSIBLE, state());
      refused(ErrorCode.CONFLICT, () -> provisioner.provision(root, SIZE));
      assertEquals(before, names());
      assertEquals("mine", Files.readString(foreign));
      Files.delete(foreign);
    }
    Files.writeString(pool.image(), "mine");
    refused(ErrorCode.CONFLICT, () -> provisioner.remove(root));
    assertEquals("mine", Files.readString(pool.image()));
  }

  @Test
  void anImageThatWasSwappedIsNotOurs() throws Exception {
    Path place = provisioner.provision(root, SIZE);
    LoopFs.run(List.of("umount", place.toString()));
    Files.writeString(pool.image(), "another image");
    refused(ErrorCode.CONFLICT, () -> provisioner.remove(root));
    refused(ErrorCode.CONFLICT, () -> provisioner.provision(root, SIZE));
    assertEquals("another image", Files.readString(pool.image()));
  }

  @Test
  void aForeignMountIsLeftAlone() throws Exception {
    Files.createDirectory(pool.mountPoint());
    LoopFs.run(List.of("mount", "-t", "tmpfs", "other", pool.mountPoint().toString()));
    refused(ErrorCode.CONFLICT, () -> provisioner.provision(root, SIZE));
    assertEquals(State.IMPOSSIBLE, state());
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
  void sizesThatCannotBe() {
    refused(ErrorCode.INVALID_ARGUMENT, () -> provisioner.provision(root, PoolSize.MIN - 1));
    refused(ErrorCode.NO_SPACE, () -> provisioner.provision(root, 1L << 40));
    assertEquals(List.of(), names());
    refused(ErrorCode.INVALID_ARGUMENT, () -> provisioner.provision(root.resolve("absent"), SIZE));
  }

  @Test
  void tooLittleSpaceIsSaidBeforeAnythingIsMade() throws Exception {
    fs.fill(400L << 20);
    assertEquals(State.IMPOSSIBLE, state());
    refused(ErrorCode.NO_SPACE, () -> provisioner.provision(root, null));
    assertEquals(List.of("ballast"), names());
  }

  @Test
  void aFullDiskAroundThePoolIsTheOneThatIsNamed() throws Exception {
    Path place = provisioner.provision(root, SIZE);
    Path image = dir.resolve("image");
    byte[] content = new byte[32 << 20];
    new java.util.Random(5).nextBytes(content);
    Files.write(image, content);
    try (StorageBackend backend = new ReflinkXfsProvider().open(new ProbeContext(place))) {
      fs.fill(0);
      RametException e =
          refused(ErrorCode.NO_SPACE, () -> backend.importFrom(NodeId.of("v"), image));
      String message = String.valueOf(e.getMessage());
      assertTrue(message.contains("no space left on " + root + " (ext4, 0 of "), message);
      assertTrue(message.contains(pool.image().toString()), message);
      assertTrue(String.valueOf(e.remedy()).startsWith("free space there"), e.remedy());
      fs.unfill();
    }
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
  void aFullDataRootIsAnAnswerWithARemedy() throws Exception {
    Path other = Files.createDirectory(dir.resolve("other"));
    try (LoopFs full = LoopFs.btrfs(other, 256 << 20)) {
      full.fill(0);
      ProvisioningStatus status = provisioner.status(full.root());
      // What is small may still fit there, where it has room among the names.
      if (status.state() != State.UNNEEDED) {
        assertEquals(State.IMPOSSIBLE, status.state());
        assertTrue(String.valueOf(status.remedy()).contains("delete"), status::toString);
      }
    }
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
