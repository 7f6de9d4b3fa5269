// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandLineTest {
  private static final Installation QEMU =
      new Installation(
          Path.of("/usr/bin/qemu-system-x86_64"),
          Path.of("/usr/bin/setsid"),
          "7.2.0",
          "pc-i440fx-7.2",
          Accelerator.TCG,
          "");

  private static VmSpec spec(boolean outbound) {
    return new VmSpec(
        "a,b",
        Path.of("/vm,1"),
        2,
        512L << 20,
        Path.of("/k"),
        Path.of("/i"),
        "console=ttyS0 a,b",
        List.of(
            new Attachment(Attachment.Kind.FILE, Path.of("/d,0"), false),
            new Attachment(Attachment.Kind.BLOCK_DEVICE, Path.of("/dev/dm-1"), true)),
        new VmSpec.Network("127.80.0.1", List.of(80, 49983), outbound));
  }

  private static List<String> line(boolean outbound, Path image) {
    VmSpec spec = spec(outbound);
    return CommandLine.of(QEMU, spec, new VmFiles(spec.directory()), image, Map.of(80, 40080));
  }

  private static List<String> line(boolean outbound) {
    VmSpec spec = spec(outbound);
    return CommandLine.of(QEMU, spec, new VmFiles(spec.directory()), null, Map.of(80, 40080));
  }

  private static String value(List<String> args, String option) {
    return args.get(args.indexOf(option) + 1);
  }

  @Test
  void bootsFromAMemfdAndRestoresFromAPrivateFile() {
    assertEquals(
        "{\"id\":\"ram\",\"size\":536870912,\"dump\":false,"
            + "\"qom-type\":\"memory-backend-memfd\",\"share\":true}",
        value(line(false), "-object"));
    assertFalse(line(false).contains("-incoming"));
    List<String> restore = line(false, Path.of("/m"));
    assertEquals(
        "{\"id\":\"ram\",\"size\":536870912,\"dump\":false,"
            + "\"qom-type\":\"memory-backend-file\",\"mem-path\":\"/m\",\"share\":false}",
        value(restore, "-object"));
    assertEquals("fd:0", value(restore, "-incoming"));
    assertTrue(restore.contains("-S"));
  }

  @Test
  void waitsForItsFirstConnection() {
    assertEquals("unix:qmp.sock,server=on,wait=on", value(line(false), "-qmp"));
  }

  @Test
  void aRestoreDiffersFromTheBootInItsMemoryOnly() {
    List<String> boot = line(true);
    List<String> restore = line(true, Path.of("/m"));
    List<String> stripped = restore.subList(0, restore.size() - 2);
    assertEquals(boot.size(), stripped.size());
    for (int i = 0; i < boot.size(); i++) {
      if (!boot.get(i).startsWith("{\"id\":\"ram\"")) {
        assertEquals(boot.get(i), stripped.get(i));
      }
    }
  }

  @Test
  void namesDisksInTheirOrderAndByTheirKind() {
    List<String> disks = line(false).stream().filter(a -> a.contains("node-name")).toList();
    assertEquals(
        List.of(
            "{\"driver\":\"raw\",\"node-name\":\"disk0\",\"read-only\":false,"
                + "\"discard\":\"unmap\",\"cache\":{\"direct\":false,\"no-flush\":true},"
                + "\"file\":{\"driver\":\"file\",\"filename\":\"/d,0\",\"locking\":\"off\"}}",
            "{\"driver\":\"raw\",\"node-name\":\"disk1\",\"read-only\":true,"
                + "\"discard\":\"unmap\",\"cache\":{\"direct\":false,\"no-flush\":true},"
                + "\"file\":{\"driver\":\"host_device\",\"filename\":\"/dev/dm-1\","
                + "\"locking\":\"off\"}}"),
        disks);
  }

  @Test
  void forwardsPortsAndKeepsTheGuestInUnlessItMayGoOut() {
    assertEquals(
        "user,id=net0,restrict=on,hostfwd=tcp:127.80.0.1:40080-:80,"
            + "hostfwd=tcp:127.80.0.1:49983-:49983",
        value(line(false), "-netdev"));
    assertFalse(value(line(true), "-netdev").contains("restrict"));
  }

  @Test
  void commasInNamesDoNotBecomeOptions() {
    List<String> args = line(false);
    assertEquals("a,,b", value(args, "-name"));
    assertEquals("file,id=console,path=/vm,,1/console.log", value(args, "-chardev"));
    assertEquals("/vm,1/qemu.pid", value(args, "-pidfile"));
    assertEquals("console=ttyS0 a,b", value(args, "-append"));
  }

  @Test
  void aRunningProcessIsReadBackFromIt() {
    assertEquals(
        new Running("pc-i440fx-7.2", Accelerator.TCG, "/m"),
        Running.of(line(false, Path.of("/m"))));
    assertEquals(
        new Running("pc-i440fx-7.2", Accelerator.TCG, "/memfd:memory-backend-memfd"),
        Running.of(line(false)));
  }
}
