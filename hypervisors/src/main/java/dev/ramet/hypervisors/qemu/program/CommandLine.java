// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds QEMU's arguments for a machine, as a pure function of its parameters
 * (qemu-system-x86_64(1)).
 *
 * <p>The order and the ids of devices are part of the saved state. Changing them makes every older
 * snapshot unrestorable and requires a change of {@link Installation#identity} too.
 */
public final class CommandLine {
  /** Id of the memory backend, and so the name of main memory's block in the saved stream. */
  static final String RAM_ID = "ram";

  /** The name under which the guest's agent finds the secret; the kernel shows it only to root. */
  private static final String SECRET_ITEM = "opt/dev.ramet/secret";

  /** The serial port, which is the machine's log. */
  private static final String CONSOLE = "console=ttyS0";

  /** The first disk. */
  private static final String ROOT = "root=/dev/vda";

  /** The file name that the kernel shows for mappings of the memory of a booted machine. */
  public static final String MEMFD_MAPPING = "/memfd:memory-backend-memfd";

  /**
   * The same for every clone: the saved state contains it anyway, and each clone has its own
   * network.
   */
  private static final String MAC = "52:54:00:72:61:6d";

  /**
   * Forbids everything QEMU does not need once it runs. It starts no programs: there are no {@code
   * exec:} addresses and no network scripts.
   */
  private static final String SANDBOX =
      "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";

  /**
   * The monitor's address. It is relative, because a socket's path is limited to 108 bytes; the
   * process works in the directory.
   *
   * <p>QEMU waits for the client to connect. Otherwise it hands the listening socket from its main
   * thread to the monitor's thread during the start, and both see a connection that arrives at that
   * moment (chardev/char-socket.c, {@code tcp_chr_update_read_handler}): one accepts it, and the
   * other, if it is the main thread, blocks in accept(2) forever. This happened in 4 of 2000 starts
   * of QEMU 7.2 on two busy processors, and in none of 7000 starts that waited.
   */
  public static final String MONITOR = "unix:" + VmFiles.MONITOR + ",server=on,wait=on";

  private CommandLine() {}

  /**
   * Returns the command to run.
   *
   * @param image the memory image of a restore, or null to boot with empty memory
   * @param hostPorts the host's port for each of the guest's forwarded ports
   */
  public static List<String> build(
      Installation qemu,
      VmSpec spec,
      VmFiles files,
      @Nullable Path image,
      Map<Integer, Integer> hostPorts) {
    List<String> args = new ArrayList<>();
    args.add(qemu.setsid().toString());
    args.add(qemu.binary().toString());
    add(args, "-name", escape(spec.name()));
    add(args, "-nodefaults", "-no-user-config");
    add(args, "-display", "none");
    machine(args, qemu, spec);
    memory(args, spec, image);
    add(args, "-kernel", SpecChecks.kernel(spec).toAbsolutePath().toString());
    Path initrd = spec.boot().initrd();
    if (initrd != null) {
      add(args, "-initrd", initrd.toAbsolutePath().toString());
    }
    add(args, "-append", spec.boot().commandLine(ownArguments(spec)));
    devices(args, spec, hostPorts);
    if (spec.secret() != null) {
      // Not part of the saved state: a machine saved without the item can be restored with it, and
      // the reverse.
      add(args, "-fw_cfg", "name=" + SECRET_ITEM + ",file=" + escape(files.secret().toString()));
    }
    add(args, "-chardev", "file,id=console,path=" + escape(files.console().toString()));
    add(args, "-serial", "chardev:console");
    add(args, "-qmp", MONITOR);
    // Absolute, because this path identifies the process as one of this directory.
    add(args, "-pidfile", files.pidFile().toString());
    add(args, "-sandbox", SANDBOX);
    // Without a configuration section, the parts of the stream can come from two saves.
    add(args, "-global", "migration.send-configuration=off");
    // An aid for Windows XP on KVM. It patches guest memory, and since QEMU 10 its state does not
    // load before the memory controller's.
    add(args, "-global", "apic-common.vapic=off");
    add(args, "-S");
    if (image != null) {
      // Loaded at start, without a command. QEMU has a separate address type for files since 8.2,
      // and began to warn of the older one in 9.1.
      add(args, "-incoming", qemu.major() < 9 ? "fd:0" : "file:" + VmFiles.INCOMING);
    }
    return List.copyOf(args);
  }

  /** Returns the kernel arguments that follow from the devices. */
  private static List<String> ownArguments(VmSpec spec) {
    return spec.disks().isEmpty() ? List.of(CONSOLE) : List.of(CONSOLE, ROOT);
  }

  private static void machine(List<String> args, Installation qemu, VmSpec spec) {
    // pc, not q35: both start equally fast and can reboot, but pc saves 13 % less state (150
    // against 170 KB) and needs no PCIe root ports. microvm has no vmgenid.
    // suppress-vmdesc: a JSON description that only debuggers read would double the stream.
    add(
        args,
        "-machine",
        qemu.machine() + ",usb=off,vmport=off,suppress-vmdesc=on,memory-backend=" + RAM_ID);
    add(args, "-accel", qemu.accelerator().option());
    add(args, "-cpu", qemu.accelerator().cpu());
    add(args, "-smp", Integer.toString(spec.cpuCount()));
    add(args, "-m", "size=" + spec.memoryBytes() / (1 << 20) + "M");
  }

  private static void memory(List<String> args, VmSpec spec, @Nullable Path image) {
    ObjectNode ram = Qmp.JSON.createObjectNode();
    ram.put("id", RAM_ID);
    ram.put("size", spec.memoryBytes());
    // Guest memory belongs to a tenant and must not appear in a core dump.
    ram.put("dump", false);
    // Nor is it merged with another tenant's: the duration of a write would reveal the other's
    // data, and a page that was merged for a while has lost its soft-dirty bit.
    ram.put("merge", false);
    if (image == null) {
      // Shared, so that the one save of the other RAM blocks leaves main memory out; a memfd, so
      // that a booting guest does not make the host write its memory to a disk.
      ram.put("qom-type", "memory-backend-memfd");
      ram.put("share", true);
    } else {
      ram.put("qom-type", "memory-backend-file");
      ram.put("mem-path", image.toString());
      ram.put("share", false);
    }
    add(args, "-object", ram.toString());
  }

  private static void devices(List<String> args, VmSpec spec, Map<Integer, Integer> hostPorts) {
    for (int i = 0; i < spec.disks().size(); i++) {
      add(args, "-blockdev", disk(spec.disks().get(i).image(), i));
      // stop: the guest never sees an error of the host. QEMU keeps the failed request and repeats
      // it on "cont".
      add(args, "-device", "virtio-blk-pci,drive=" + node(i) + ",werror=stop,rerror=stop");
    }
    StringBuilder net = new StringBuilder("user,id=net0");
    NetworkPlan.User network = SpecChecks.network(spec);
    if (!network.outbound()) {
      net.append(",restrict=on");
    }
    for (int port : network.ports()) {
      net.append(",hostfwd=").append(forward(network, port, hostPorts.getOrDefault(port, port)));
    }
    add(args, "-netdev", net.toString());
    // No boot ROM: that saves a RAM block, and nothing boots from the network.
    add(args, "-device", "virtio-net-pci,netdev=net0,romfile=,mac=" + MAC);
    add(args, "-device", "virtio-rng-pci");
    // Each process creates a new generation id, upon which Linux (5.18) reseeds its random numbers.
    add(args, "-device", "vmgenid,guid=auto");
  }

  /**
   * Returns a forwarding rule in the syntax of {@code -netdev user,hostfwd=} and of hostfwd_add.
   */
  public static String forward(NetworkPlan.User network, int guestPort, int hostPort) {
    return "tcp:" + network.address() + ":" + hostPort + "-:" + guestPort;
  }

  /** Returns the name of a disk's block node. */
  public static String node(int disk) {
    return "disk" + disk;
  }

  private static String disk(Attachment disk, int index) {
    ObjectNode file = Qmp.JSON.createObjectNode();
    if (disk instanceof Attachment.Socket socket) {
      file.put("driver", "nbd");
      file.put("export", socket.export());
      file.putObject("server").put("type", "unix").put("path", socket.socket().toString());
    } else {
      file.put("driver", disk instanceof Attachment.BlockDevice ? "host_device" : "file");
      file.put("filename", disk.path().toString());
      // The host also opens the volume to snapshot it.
      file.put("locking", "off");
    }
    ObjectNode node = Qmp.JSON.createObjectNode();
    node.put("driver", "raw");
    node.put("node-name", node(index));
    node.put("read-only", disk.readOnly());
    // Space that the guest frees becomes a hole.
    node.put("discard", "unmap");
    // A pause flushes all disks; the host makes snapshots durable after the pause.
    node.putObject("cache").put("direct", false).put("no-flush", true);
    node.set("file", file);
    return node.toString();
  }

  /** Doubles the commas in a value: in QEMU's option syntax a single one ends it. */
  private static String escape(String value) {
    return value.replace(",", ",,");
  }

  private static void add(List<String> args, String... more) {
    args.addAll(List.of(more));
  }
}
