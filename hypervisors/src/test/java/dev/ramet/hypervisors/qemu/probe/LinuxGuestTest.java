// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.Host;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.WriteLog;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a Linux guest keeps its memory, disk and processes over a restore, and can reboot
 * afterwards.
 */
class LinuxGuestTest {
  private static final int AGENT = 49983;
  private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";

  private final Path root;

  LinuxGuestTest(@TempDir Path root) {
    this.root = root;
  }

  @Test
  void survivesARestoreAndRebootsAfterIt() throws Exception {
    Path template = Host.directory("template", "RAMET_TEST_TEMPLATE");
    Path disk = copyOf(template.resolve("rootfs.raw"), "disk");
    try (QemuHypervisor driver = new QemuHypervisor(Bench.installation(root))) {
      try {
        RunningVm vm = driver.boot(spec(template, "vm", disk), Bench.PATIENCE);
        awaitAgent(vm);
        write(vm, "/root/on-disk", "kept");
        write(vm, "/dev/shm/in-memory", "kept too");
        String bootId = read(vm, BOOT_ID);
        Path devices = Files.createDirectory(root.resolve("saved"));
        Path image = root.resolve("memory");
        Path clonedDisk;
        try (PausedVm paused = vm.pause()) {
          paused.saveDevices(devices);
          clonedDisk = copyOf(disk, "cloned-disk");
          Trial.copy(paused.memory(), image);
        }
        write(vm, "/root/on-disk", "changed by the original");
        SavedVm saved = new SavedVm(devices, new MemorySource.MappedImage(image), vm.identity());

        RunningVm clone =
            driver.restore(spec(template, "clone", clonedDisk), saved, Bench.PATIENCE).resume();
        awaitAgent(clone);
        assertEquals(bootId, read(clone, BOOT_ID));
        assertEquals("kept", read(clone, "/root/on-disk"));
        assertEquals("kept too", read(clone, "/dev/shm/in-memory"));
        assertEquals("changed by the original", read(vm, "/root/on-disk"));

        start(clone, "sync; reboot -f");
        Bench.await("the reboot", () -> !bootId.equals(readOrNothing(clone, BOOT_ID)));
        awaitAgent(clone);
        assertNotEquals(bootId, read(clone, BOOT_ID));
        assertEquals("kept", read(clone, "/root/on-disk"));
      } finally {
        driver.reap(root);
      }
    }
  }

  /** Tests requests of a real guest: written data and freed blocks. */
  @Test
  void whatAGuestWritesIsTold() throws Exception {
    Path template = Host.directory("template", "RAMET_TEST_TEMPLATE");
    VmSpec plain = spec(template, "vm", copyOf(template.resolve("rootfs.raw"), "disk"));
    Path second = root.resolve("second");
    try (RandomAccessFile file = new RandomAccessFile(second.toFile(), "rw")) {
      file.setLength(64 << 20);
    }
    VmSpec spec =
        plain.with(
            List.of(
                plain.disks().get(0), new Disk("disk1", new Attachment.LocalFile(second, false))));
    try (QemuHypervisor driver = new QemuHypervisor(Bench.installation(root))) {
      try {
        RunningVm vm = driver.boot(spec, Bench.PATIENCE);
        awaitAgent(vm);
        DiskWriteLog log = (DiskWriteLog) vm;
        WriteLog.Written first = log.takeWrites(1);
        start(
            vm,
            "dd if=/dev/urandom of=/dev/vdb bs=4k seek=100 count=2 conv=fsync"
                + " && blkdiscard -o 1048576 -l 65536 /dev/vdb"
                + " && echo done >/dev/shm/done");
        Bench.await(
            "the guest's writes", () -> "done\n".equals(readOrNothing(vm, "/dev/shm/done")));
        try (PausedVm paused = vm.pause()) {
          WriteLog.Written written = log.takeWrites(1);
          assertEquals(
              List.of(
                  new WriteLog.Range(400 << 10, 8 << 10), new WriteLog.Range(1 << 20, 64 << 10)),
              written.ranges());
          assertTrue(written.isAllSince(first.until()));
          assertEquals(List.of(), log.takeWrites(1).ranges());
          assertEquals(vm.pid(), paused.pid());
        }
      } finally {
        driver.reap(root);
      }
    }
  }

  private Path copyOf(Path image, String name) throws IOException, InterruptedException {
    Path copy = root.resolve(name);
    Process cp =
        new ProcessBuilder("cp", "--sparse=always", image.toString(), copy.toString())
            .inheritIO()
            .start();
    assertEquals(0, cp.waitFor());
    return copy;
  }

  private VmSpec spec(Path template, String name, Path disk) throws IOException {
    JsonNode manifest = Qmp.JSON.readTree(Files.readAllBytes(template.resolve("template.json")));
    return new VmSpec(
        name,
        Files.createDirectory(root.resolve(name)),
        manifest.path("cpuCount").asInt(),
        manifest.path("memoryMB").asLong() << 20,
        new Boot(
            Map.of(KernelFormat.BZIMAGE, template.resolve("kernel")),
            template.resolve("initrd"),
            manifest.path("cmdline").asText()),
        List.of(new Disk("disk0", new Attachment.LocalFile(disk, false))),
        new NetworkPlan.User(Bench.address(), List.of(AGENT), true),
        null);
  }

  private static void awaitAgent(RunningVm vm) throws IOException, InterruptedException {
    Bench.await("the agent", () -> !readOrNothing(vm, BOOT_ID).isEmpty());
  }

  private static String readOrNothing(RunningVm vm, String path) {
    try {
      return read(vm, path);
    } catch (IOException e) {
      return "";
    }
  }

  private static String read(RunningVm vm, String path) throws IOException {
    HttpURLConnection connection = connect(vm, "/files?username=root&path=" + path);
    return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static void write(RunningVm vm, String path, String text) throws IOException {
    post(
        connect(vm, "/files?username=root&path=" + path),
        "application/octet-stream",
        text.getBytes(StandardCharsets.UTF_8));
  }

  /** Starts a shell command in the guest without waiting for it. */
  private static void start(RunningVm vm, String command) throws IOException {
    byte[] message =
        Qmp.JSON.writeValueAsBytes(
            Qmp.JSON
                .createObjectNode()
                .set(
                    "process",
                    Qmp.JSON
                        .createObjectNode()
                        .put("cmd", "/bin/sh")
                        .set("args", Qmp.JSON.createArrayNode().add("-c").add(command))));
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(frame)) {
      out.writeByte(0);
      out.writeInt(message.length);
      out.write(message);
    }
    try {
      post(connect(vm, "/process.Process/Start"), "application/connect+json", frame.toByteArray());
    } catch (IOException e) {
      // The guest may be gone before it answers.
    }
  }

  private static void post(HttpURLConnection connection, String type, byte[] body)
      throws IOException {
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", type);
    try (OutputStream out = connection.getOutputStream()) {
      out.write(body);
    }
    int status = connection.getResponseCode();
    if (status >= 300) {
      throw new IOException("HTTP " + status);
    }
  }

  private static HttpURLConnection connect(RunningVm vm, String path) throws IOException {
    InetSocketAddress at = vm.endpoint(AGENT);
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://" + at.getHostString() + ":" + at.getPort() + path)
                .toURL()
                .openConnection();
    // A connection made before the guest listened may never be answered.
    connection.setConnectTimeout(1000);
    connection.setReadTimeout(2000);
    connection.setRequestProperty("Connection", "close");
    return connection;
  }
}
