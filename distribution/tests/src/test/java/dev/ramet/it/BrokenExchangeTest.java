// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static dev.ramet.it.ExchangeGround.TELL;
import static dev.ramet.it.ExchangeGround.TOLD;
import static dev.ramet.it.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Checks that damaged exports are rejected and that interrupted exports and imports leave nothing
 * behind.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BrokenExchangeTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @AutoClose @RegisterExtension private final ExchangeGround exchange = ExchangeGround.make();

  private final Ground ground = exchange.ground();
  private final Path place = exchange.place();
  private final Path exported = exchange.exported();

  @Test
  void whatWasChangedOnTheWayIsNamedAndNotTakenIn() throws Exception {
    SortedSet<String> before = ground.files();
    for (String name : List.of("disk.raw", "memory.raw", "kernel")) {
      Path file = exported.resolve(name);
      flip(file);
      RametException damaged = refused(ErrorCode.CORRUPT, () -> exchange.load("damaged"));
      assertTrue(damaged.toString().contains(file + " is damaged"), damaged.toString());
      flip(file);
    }
    Path devices = exported.resolve("devices");
    Path moved = Files.move(devices, exported.resolve("elsewhere"));
    refused(ErrorCode.CORRUPT, () -> exchange.load("damaged"));
    Files.createSymbolicLink(devices, moved);
    refused(ErrorCode.INVALID_ARGUMENT, () -> exchange.load("damaged"));
    Files.delete(devices);
    Files.move(moved, devices);
    assertEquals(before, ground.files());
    ground.assertWell();
  }

  @Test
  void holesThatWereLostOnTheWayAreFoundAgain() throws Exception {
    SortedSet<String> before = ground.files();
    Path memory = exported.resolve("memory.raw");
    Path kept = Files.move(memory, place.resolve("kept"));
    try {
      List<String> fill = List.of("cp", "--sparse=never", kept.toString(), memory.toString());
      assertEquals(0, new ProcessBuilder(fill).start().waitFor());
      String id = exchange.load("filled").id();
      long[] used = {0};
      ground
          .engine()
          .storage()
          .usage(node -> used[0] += node.id().equals(id + ".memory") ? node.referencedBytes() : 0);
      assertTrue(used[0] > 0 && used[0] < Files.size(kept) * 2 / 3, "it takes " + used[0]);
      Sandbox sandbox = ground.create(id);
      assertEquals(TOLD, ground.shell(sandbox.id()).run(TELL));
      ground.engine().sandboxes().kill(sandbox.id());
      ground.engine().snapshots().delete(id, false);
      flip(memory);
      refused(ErrorCode.CORRUPT, () -> exchange.load("damaged"));
    } finally {
      Files.move(kept, memory, StandardCopyOption.REPLACE_EXISTING);
    }
    assertEquals(before, ground.files());
  }

  private static void flip(Path file) throws IOException {
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
      long at = content.length() / 3;
      content.seek(at);
      int was = content.read();
      content.seek(at);
      content.write(was ^ 1);
    }
  }

  @Test
  void aMachineThatDoesNotFitIsNotRestored() throws Exception {
    Path manifest = exported.resolve("manifest.json");
    Path record = exported.resolve("export.json");
    byte[] goodManifest = Files.readAllBytes(manifest);
    byte[] goodRecord = Files.readAllBytes(record);
    try {
      change(identity -> ((ObjectNode) identity.path("machine")).put("accelerator", "other"));
      String id = exchange.load("misfit").id();
      RametException misfit = refused(ErrorCode.UNSUPPORTED, () -> ground.create(id));
      assertTrue(misfit.toString().contains("accelerator is other"), misfit.toString());
      ground.engine().snapshots().delete(id, false);
      change(identity -> identity.put("hypervisor", "acme"));
      RametException unknown = refused(ErrorCode.UNSUPPORTED, () -> exchange.load("unknown"));
      assertTrue(unknown.toString().contains("the hypervisor acme"), unknown.toString());
    } finally {
      Files.write(manifest, goodManifest);
      Files.write(record, goodRecord);
    }
    ground.assertWell();
  }

  private void change(Consumer<ObjectNode> change) throws Exception {
    Path manifest = exported.resolve("manifest.json");
    ObjectNode root = (ObjectNode) JSON.readTree(manifest.toFile());
    change.accept((ObjectNode) root.path("identity"));
    byte[] bytes = JSON.writeValueAsBytes(root);
    Files.write(manifest, bytes);
    Path record = exported.resolve("export.json");
    ObjectNode export = (ObjectNode) JSON.readTree(record.toFile());
    for (JsonNode item : export.path("files")) {
      if (item.path("path").asText().equals("manifest.json")) {
        ((ObjectNode) item)
            .put("sizeBytes", bytes.length)
            .put(
                "sha256",
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
      }
    }
    JSON.writeValue(record.toFile(), export);
  }

  @Test
  void aFullFileSystemIsNamed() throws Exception {
    Path mount = Files.createTempDirectory("ramet-it-small-");
    try (LoopFs small = LoopFs.ext4(mount, 32 << 20)) {
      RametException full =
          refused(ErrorCode.NO_SPACE, () -> exchange.export("start", small.root().resolve("x")));
      assertTrue(full.toString().contains(small.root().toString()), full.toString());
      assertEquals(List.of("lost+found"), Trees.names(small.root()));
    }
    Files.deleteIfExists(mount.resolve("mnt"));
    Files.delete(mount);
    ground.assertWell();
  }

  private List<String> steps(Runnable operation) {
    ground.steps().reset();
    operation.run();
    return ground.steps().seen().stream().distinct().toList();
  }

  @Test
  void whereverItBreaksNothingIsLeft() throws Exception {
    SortedSet<String> before = ground.files();
    Path target = place.resolve("broken");
    List<String> exporting = steps(() -> exchange.export("start", target));
    Trees.delete(target);
    for (String step : exporting) {
      ground.steps().breakAt(step, 0);
      assertThrows(StepRecorder.Broken.class, () -> exchange.export("start", target), step);
      assertEquals(List.of("start"), Trees.names(place), step);
      assertEquals(before, ground.files(), step);
    }
    List<String> importing = steps(() -> exchange.load("broken"));
    ground.engine().snapshots().delete("broken", false);
    for (String step : importing.stream().filter(s -> s.startsWith("import.")).toList()) {
      ground.steps().breakAt(step, 0);
      assertThrows(StepRecorder.Broken.class, () -> exchange.load("broken"), step);
      assertEquals(before, ground.files(), step);
    }
    ground.steps().reset();
    exchange.load("broken");
    ground.engine().snapshots().delete("broken", false);
    assertEquals(before, ground.files());
  }

  @Test
  void whatIsStoppedLeavesNothing() throws Exception {
    SortedSet<String> before = ground.files();
    CopyProgress stop = (done, total) -> done < total / 2;
    refused(
        ErrorCode.CANCELLED,
        () -> ground.engine().storage().exportTo("start", place.resolve("stopped"), stop));
    refused(
        ErrorCode.CANCELLED, () -> ground.engine().storage().importFrom(exported, "stop", stop));
    assertEquals(List.of("start"), Trees.names(place));
    assertEquals(before, ground.files());
  }

  @Test
  void aHostThatIsKilledLeavesNothingHalfMade() throws Exception {
    SortedSet<String> before = ground.files();
    Path target = place.resolve("crashed");
    ground.closeEngine();
    try {
      assertEquals(DyingHost.STATUS, dyingHost("export", target, "export.publish"));
      assertFalse(Files.exists(target), "nothing that looks whole");
      assertEquals(2, Trees.names(place).size(), Trees.names(place).toString());
      assertEquals(DyingHost.STATUS, dyingHost("import", exported, "import.verify"));
      assertEquals(DyingHost.STATUS, dyingHost("import", exported, "import.publish"));
    } finally {
      ground.openEngine();
    }
    assertEquals(List.of("start"), Trees.names(place), "the next start takes it back");
    assertEquals(before, ground.files());
    ground.assertWell();
    assertEquals(TOLD, ground.shell(exchange.sandboxId()).run(TELL));
  }

  private int dyingHost(String operation, Path directory, String step) throws Exception {
    Process host =
        Hosts.start(
            "DyingHost", ground.dataRoot().toString(), operation, directory.toString(), step, "0");
    try {
      assertTrue(host.waitFor(2, TimeUnit.MINUTES), "the host hangs");
      return host.exitValue();
    } finally {
      host.destroyForcibly();
    }
  }
}
