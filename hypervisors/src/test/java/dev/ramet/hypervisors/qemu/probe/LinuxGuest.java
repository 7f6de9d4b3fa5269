// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.Host;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A Linux guest from the template that {@code RAMET_TEST_TEMPLATE} names, reached by its agent. */
final class LinuxGuest {
  static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";
  private static final int AGENT = 49983;

  private final Path root;
  private final Path template;

  /** Skips the test without the template, or fails it if RAMET_REQUIRE lists it. */
  LinuxGuest(Path root) {
    this.root = root;
    this.template = Host.directory("template", "RAMET_TEST_TEMPLATE");
  }

  /** Returns a new copy of the template's disk. */
  Path rootDisk(String name) throws IOException, InterruptedException {
    return copyOf(template.resolve("rootfs.raw"), name);
  }

  Path copyOf(Path image, String name) throws IOException, InterruptedException {
    Path copy = root.resolve(name);
    Process cp =
        new ProcessBuilder("cp", "--sparse=always", image.toString(), copy.toString())
            .inheritIO()
            .start();
    assertEquals(0, cp.waitFor());
    return copy;
  }

  VmSpec spec(String name, Path disk) throws IOException {
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

  static void awaitAgent(RunningVm vm) throws IOException, InterruptedException {
    Bench.await("the agent", () -> !readOrNothing(vm, BOOT_ID).isEmpty());
  }

  static String readOrNothing(RunningVm vm, String path) {
    try {
      return read(vm, path);
    } catch (IOException e) {
      return "";
    }
  }

  static String read(RunningVm vm, String path) throws IOException {
    HttpURLConnection connection = connect(vm, "/files?username=root&path=" + path);
    return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  static void write(RunningVm vm, String path, String text) throws IOException {
    post(
        connect(vm, "/files?username=root&path=" + path),
        "application/octet-stream",
        text.getBytes(StandardCharsets.UTF_8));
  }

  /** Starts a shell command in the guest without waiting for it. */
  static void start(RunningVm vm, String command) throws IOException {
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
