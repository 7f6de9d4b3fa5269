// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.StepObserver;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.start.EngineFactory;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.root.StorageProvisioner;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a root's record decides its storage backend, that a root without its record is not
 * opened with another one, and that obstacles are reported with a remedy.
 */
final class RootRecordTest {
  private static final long POOL_BYTES = 400L << 20;

  private final Path directory;
  private LoopFs fs;
  private Path root;

  RootRecordTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @BeforeEach
  void make() throws Exception {
    fs = LoopFs.ext4(directory, 2L << 30);
    root = Files.createDirectory(fs.root().resolve("data"));
  }

  @AfterEach
  void close() {
    if (Files.isDirectory(root)) {
      provisioner().remove(root);
    }
    fs.close();
  }

  private static StorageProvisioner provisioner() {
    return ServiceLoader.load(ModuleLayer.boot(), StorageProvisioner.class)
        .findFirst()
        .orElseThrow();
  }

  /** Returns the configuration of a host that may make pools. */
  private EngineConfig free() {
    return TestConfig.of(root, POOL_BYTES, StepObserver.NONE);
  }

  private EngineConfig copying() {
    return TestConfig.of(root, 0, StepObserver.NONE).with("ramet.storage-backend", "byte-copy");
  }

  private static String backend(EngineConfig config) {
    try (Engine engine = EngineFactory.open(config)) {
      return String.valueOf(engine.doctor().report(false).host().get("storage.backend"));
    }
  }

  @Test
  void aRootWithoutItsRecordIsNotChosenForAnew() throws Exception {
    assertEquals("byte-copy", backend(copying()));
    Files.delete(root.resolve("root.json"));
    RametException e = refused(ErrorCode.CORRUPT, () -> backend(free()));
    assertTrue(String.valueOf(e.getMessage()).contains("volumes/.backend"), e.getMessage());
    refused(ErrorCode.CORRUPT, () -> backend(copying()));
    refused(ErrorCode.CORRUPT, () -> EngineFactory.openOffline(free()).close());
    assertFalse(Files.exists(root.resolve("pool.xfs.img")));
    assertFalse(Files.exists(root.resolve("root.json")));

    Matcher content = Pattern.compile("\\{.*}").matcher(String.valueOf(e.remedy()));
    assertTrue(content.find(), e.remedy());
    Files.writeString(root.resolve("root.json"), content.group());
    assertEquals("byte-copy", backend(free()));
  }

  @Test
  void whatWasKeptInARootCountsWithoutItsBackendsMarkerToo() throws Exception {
    Files.createDirectories(root.resolve("snapshots"));
    Path kept = Files.createDirectories(root.resolve("sandboxes/i0123456789abcdefghi"));
    RametException e = refused(ErrorCode.CORRUPT, () -> backend(free()));
    assertTrue(String.valueOf(e.getMessage()).contains(kept.toString()), e.getMessage());
    assertTrue(String.valueOf(e.remedy()).contains("root.json"), e.remedy());
    Files.delete(kept);
    assertEquals("reflink-xfs", backend(free()));
  }

  @Test
  void aPoolThatLostItsRecordIsRefusedAndANewOneIsNot() throws Exception {
    Path pool = provisioner().provision(root, POOL_BYTES);
    assertEquals("reflink-xfs", backend(free()));
    provisioner().provision(root, null); // the host unmounts it when it stops
    String record = Files.readString(pool.resolve("root.json"));
    Files.delete(pool.resolve("root.json"));
    refused(ErrorCode.CORRUPT, () -> backend(free()));
    provisioner().provision(root, null);
    Files.writeString(pool.resolve("root.json"), record);
    assertEquals("reflink-xfs", backend(free()));
  }

  @Test
  void aPoolThatWasMadeLaterDoesNotTakeTheRootsPlace() {
    assertEquals("byte-copy", backend(copying()));
    provisioner().provision(root, POOL_BYTES);
    assertEquals("byte-copy", backend(free()));
    try (var resting = EngineFactory.openOffline(free())) {
      assertEquals("byte-copy", resting.usage(node -> {}).get(0).backend());
    }
  }

  /** As left by a host killed after making a pool and before writing its record. */
  @Test
  void aNewRootThatWasKilledOpens() throws Exception {
    Path pool = provisioner().provision(root, POOL_BYTES);
    Files.createDirectory(pool.resolve(".probe-4711"));
    assertEquals("reflink-xfs", backend(free()));
  }

  @Test
  void whatIsInTheWayIsNamedWithARemedy() throws Exception {
    assertEquals("byte-copy", backend(copying()));
    for (String name : new String[] {"volumes", "snapshots", "sandboxes"}) {
      Path moved = root.resolve("moved");
      Files.move(root.resolve(name), moved);
      Files.writeString(root.resolve(name), "a file");
      ErrorCode code = name.equals("volumes") ? ErrorCode.CONFLICT : ErrorCode.INVALID_ARGUMENT;
      RametException e = refused(code, () -> backend(copying()));
      assertTrue(String.valueOf(e.getMessage()).contains(root.resolve(name) + ""), e.getMessage());
      assertTrue(String.valueOf(e.remedy()).contains("move it away"), e.remedy());
      Files.delete(root.resolve(name));
      Files.move(moved, root.resolve(name));
    }
    assertEquals("byte-copy", backend(copying()));
    Path file = Files.writeString(fs.root().resolve("file"), "a file");
    for (Path place : new Path[] {file, file.resolve("below")}) {
      EngineConfig config = TestConfig.of(place, 0, StepObserver.NONE);
      RametException e = refused(ErrorCode.INVALID_ARGUMENT, () -> backend(config));
      assertTrue(Objects.requireNonNull(e.getMessage()).contains(file + " is not a directory"));
      assertTrue(String.valueOf(e.remedy()).contains("another data root"), e.remedy());
    }
  }

  @Test
  void aSizeThatComesTooLateIsTold() throws Exception {
    provisioner().provision(root, POOL_BYTES);
    Installed.Run run =
        Installed.alone(
            Map.of(),
            java.util.List.of(
                "storage", "provision", "--data-root", root.toString(), "--size", "1"));
    assertEquals(0, run.status(), run.err());
    assertTrue(run.err().contains("--size has no effect"), run.err());
    assertTrue(run.err().contains("400 MiB"), run.err());
  }
}
