// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.GuestSecret;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests QEMU's arguments for booted and restored machines. */
class CommandLineTest {
  private static final Installation QEMU =
      new Installation(
          Path.of("/usr/bin/qemu-system-x86_64"),
          Path.of("/usr/bin/setsid"),
          "7.2.0",
          "pc-i440fx-7.2",
          Accelerator.TCG,
          "");

  /** Advice for anyone who changes the command line. */
  private static final String PROMISE =
      "GuestMaps.DISCARDS is a promise that no page of guest memory is ever given back, and"
          + " memory modes lose pages where it is broken. Look for callers of"
          + " ram_block_discard_range, and of madvise, in what is new (balloon, free-page"
          + " reporting, virtio-mem, pc-dimm with maxmem): where there is one, change DISCARDS;"
          + " where there is none, add it to this test's list";

  private static VmSpec spec(boolean outbound) {
    return new VmSpec(
        "a,b",
        Path.of("/vm,1"),
        2,
        512L << 20,
        new Boot(Map.of(KernelFormat.BZIMAGE, Path.of("/k")), Path.of("/i"), "console=tty1 a,b"),
        List.of(
            new Disk("0", new Attachment.LocalFile(Path.of("/d,0"), false)),
            new Disk("1", new Attachment.BlockDevice(Path.of("/dev/dm-1"), true))),
        new NetworkPlan.User("127.80.0.1", List.of(80, 49983), outbound),
        null);
  }

  private static List<String> line(boolean outbound, Path image) {
    VmSpec spec = spec(outbound);
    return CommandLine.build(QEMU, spec, new VmFiles(spec.directory()), image, Map.of(80, 40080));
  }

  private static List<String> line(boolean outbound) {
    VmSpec spec = spec(outbound);
    return CommandLine.build(QEMU, spec, new VmFiles(spec.directory()), null, Map.of(80, 40080));
  }

  private static String value(List<String> args, String option) {
    return args.get(args.indexOf(option) + 1);
  }

  @Test
  void bootsFromAMemfdAndRestoresFromAPrivateFile() {
    assertEquals(
        "{\"id\":\"ram\",\"size\":536870912,\"dump\":false,\"merge\":false,"
            + "\"qom-type\":\"memory-backend-memfd\",\"share\":true}",
        value(line(false), "-object"));
    assertFalse(line(false).contains("-incoming"));
    List<String> restore = line(false, Path.of("/m"));
    assertEquals(
        "{\"id\":\"ram\",\"size\":536870912,\"dump\":false,\"merge\":false,"
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
  void namesTheFileOfASecretAndNotTheSecret() {
    VmSpec spec = spec(false).with(new GuestSecret("s3cret"));
    List<String> args =
        CommandLine.build(QEMU, spec, new VmFiles(spec.directory()), null, Map.of(80, 40080));
    assertEquals("name=opt/dev.ramet/secret,file=/vm,,1/secret", value(args, "-fw_cfg"));
    assertFalse(String.join(" ", args).contains("s3cret"));
    assertFalse(spec.toString().contains("s3cret"));
    assertFalse(line(false).contains("-fw_cfg"));
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

  /** Checks a promise that {@code GuestMaps} makes for every machine. */
  @Test
  void nothingOnItDiscardsGuestMemory() {
    Set<String> devices =
        Set.of(
            "virtio-blk-pci",
            "virtio-net-pci",
            "virtio-rng-pci",
            // Its page in guest memory is written, but never discarded.
            "vmgenid");
    Set<String> objects = Set.of("memory-backend-memfd", "memory-backend-file");
    // The other ways to add devices: a machine type's built-in ones, and options that imply some.
    Set<String> options =
        Set.of(
            "-name",
            "-nodefaults",
            "-no-user-config",
            "-display",
            "-machine",
            "-accel",
            "-cpu",
            "-smp",
            "-m",
            "-object",
            "-kernel",
            "-initrd",
            "-append",
            "-blockdev",
            "-device",
            "-netdev",
            "-chardev",
            "-serial",
            "-qmp",
            "-pidfile",
            "-sandbox",
            "-global",
            "-S",
            "-incoming");
    for (List<String> args : List.of(line(true), line(false), line(true, Path.of("/m")))) {
      assertSafe("device", drivers(values(args, "-device")), devices);
      assertSafe("object", objects(values(args, "-object")), objects);
      assertSafe("option", args.stream().filter(a -> a.startsWith("-")).toList(), options);
      assertEquals(
          List.of("size=512M"),
          values(args, "-m"),
          "maxmem and slots are for memory that is plugged in later, and unplugged: " + PROMISE);
      assertEquals(
          List.of("pc-i440fx-7.2,usb=off,vmport=off,suppress-vmdesc=on,memory-backend=ram"),
          values(args, "-machine"),
          "a machine type may have memory devices of its own: " + PROMISE);
    }
  }

  private static void assertSafe(String kind, List<String> found, Set<String> known) {
    assertFalse(found.isEmpty(), () -> "no " + kind + " at all");
    List<String> others = found.stream().filter(one -> !known.contains(one)).toList();
    assertTrue(
        others.isEmpty(),
        () -> "not known to leave guest memory alone: " + kind + " " + others + ". " + PROMISE);
  }

  private static List<String> drivers(List<String> values) {
    return values.stream().map(value -> value.split(",", 2)[0]).toList();
  }

  private static List<String> objects(List<String> values) {
    return values.stream()
        .map(value -> value.replaceAll(".*\"qom-type\":\"([^\"]*)\".*", "$1"))
        .toList();
  }

  private static List<String> values(List<String> args, String option) {
    return IntStream.range(1, args.size())
        .filter(i -> args.get(i - 1).equals(option))
        .mapToObj(args::get)
        .toList();
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
    assertEquals("root=/dev/vda console=tty1 a,b", value(args, "-append"));
  }

  @Test
  void aRunningProcessIsReadBackFromIt() {
    assertEquals(
        new RunningCommand("pc-i440fx-7.2", Accelerator.TCG, "/m"),
        RunningCommand.parse(line(false, Path.of("/m"))));
    assertEquals(
        new RunningCommand("pc-i440fx-7.2", Accelerator.TCG, "/memfd:memory-backend-memfd"),
        RunningCommand.parse(line(false)));
  }

  @Test
  void aMachineOfAnEarlierVersionReportsDiskErrorsToItsGuest() {
    assertTrue(
        RunningCommand.stopsOnDiskErrors(
            List.of("-device", "virtio-blk-pci,drive=disk0,werror=stop,rerror=stop")));
    assertFalse(
        RunningCommand.stopsOnDiskErrors(
            List.of("-device", "virtio-blk-pci,drive=disk0,werror=report,rerror=report")));
    assertFalse(RunningCommand.stopsOnDiskErrors(List.of("virtio-blk-pci,drive=disk0")));
  }
}
