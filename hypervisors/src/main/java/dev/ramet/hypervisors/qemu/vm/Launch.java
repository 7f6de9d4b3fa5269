// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.vm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.monitor.QmpException;
import dev.ramet.hypervisors.qemu.process.HostPorts;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.hypervisors.qemu.process.RamReceiver;
import dev.ramet.hypervisors.qemu.process.VmProcess;
import dev.ramet.hypervisors.qemu.program.CommandLine;
import dev.ramet.hypervisors.qemu.program.Installation;
import dev.ramet.hypervisors.qemu.program.RamBlocks;
import dev.ramet.hypervisors.qemu.program.SpecChecks;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.spi.hypervisor.GuestSecret;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The start of one machine, from its command line to its first instruction. Used by one thread. */
final class Launch {
  private static final Path NO_INPUT = Path.of("/dev/null");

  /** Time limit for the exit of a process whose start failed. */
  private static final Duration CLEAN_UP = Duration.ofSeconds(10);

  private static final long LOAD_POLL_NANOS = 100_000;

  private final VmSpec spec;
  private final VmFiles files;
  private final VmProcess process;
  private final Deadline deadline;
  private @Nullable Machine machine;

  private Launch(VmSpec spec, VmFiles files, VmProcess process, Deadline deadline) {
    this.spec = spec;
    this.files = files;
    this.process = process;
    this.deadline = deadline;
  }

  /**
   * Starts the process.
   *
   * @param image the memory image of a restore, or null to boot
   */
  static Launch start(
      Installation qemu, VmSpec spec, VmFiles files, @Nullable Path image, Deadline deadline) {
    files.removeStale();
    Map<Integer, Integer> ports = new HashMap<>();
    SpecChecks.network(spec).ports().forEach(p -> ports.put(p, HostPorts.hostPort(p)));
    GuestSecret secret = spec.secret();
    VmProcess process;
    try {
      if (secret != null) {
        files.writeSecret(secret);
      }
      process =
          VmProcess.start(
              CommandLine.build(qemu, spec, files, image, ports),
              files.directory(),
              image == null ? NO_INPUT : files.incoming(),
              files.log());
    } catch (RuntimeException | Error e) {
      VmFiles.delete(files.secret());
      throw e;
    }
    return new Launch(spec, files, process, deadline);
  }

  /** Waits until the monitor answers, which it does once QEMU has built the machine. */
  Machine connect() {
    try {
      Path socket = files.socket(VmFiles.MONITOR, process.pid());
      Machine connected =
          new Machine(files, process, Qmp.connect(socket, process::alive, deadline));
      machine = connected;
      VmFiles.delete(files.secret()); // by now QEMU has read all files named to it
      return connected;
    } catch (QmpException e) {
      // Once this QEMU is certainly gone, an address still in use belongs to another process.
      process.kill(Deadline.after(CLEAN_UP));
      NetworkPlan.User network = SpecChecks.network(spec);
      for (int port : network.ports()) {
        int hostPort = HostPorts.hostPort(port);
        if (HostPorts.isTaken(network.address(), hostPort)) {
          throw PortForwards.taken(network.address(), hostPort);
        }
      }
      throw Machine.failure(files, e);
    }
  }

  /**
   * Saves the RAM blocks other than main memory before the first instruction. The migration this
   * needs costs 3 ms here, and then no later capture needs it during its pause. The guest changes
   * none of these blocks except the ACPI tables, which QEMU rebuilds at every reset.
   */
  void saveRamBlocks() {
    Machine connected = connected();
    try (RamReceiver receiver = RamReceiver.listen(files, process.pid())) {
      ObjectNode capabilities = Qmp.JSON.createObjectNode();
      for (String name : new String[] {"x-ignore-shared", "events"}) {
        capabilities
            .withArray("capabilities")
            .addObject()
            .put("capability", name)
            .put("state", true);
      }
      connected.execute("migrate-set-capabilities", capabilities, deadline);
      CompletableFuture<JsonNode> done = connected.event("MIGRATION", "completed", "failed");
      connected.execute(
          "migrate",
          Qmp.JSON.createObjectNode().put("uri", "unix:" + VmFiles.RAM_SOCKET),
          deadline);
      byte[] stream = receiver.receive(process::alive, deadline);
      if (!connected.await(done, deadline).path("status").asText().equals("completed")) {
        throw new IOException("QEMU gave up");
      }
      Path fresh = files.directory().resolve(VmFiles.RAM_BLOCKS + ".new");
      Files.write(fresh, RamBlocks.parse(stream).bytes());
      // The file tells a later host process that this start came so far.
      Files.move(fresh, files.ramBlocks(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RamBlocks.FormatException e) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "cannot save the RAM blocks of " + spec.name() + ": " + e.getMessage() + files.tails(),
          e);
    }
  }

  /**
   * Waits until the saved state is loaded. QEMU loads a file without interruption on the thread
   * that also answers commands, so its first answer comes after that. The last step remains, and is
   * polled for because its event could already have passed.
   */
  void awaitLoaded() {
    Machine connected = connected();
    String status = status(connected);
    while (status.equals("inmigrate")) {
      if (deadline.passed()) {
        throw deadline.exceeded("loading the saved devices");
      }
      LockSupport.parkNanos(LOAD_POLL_NANOS);
      status = status(connected);
    }
    if (!status.equals("paused")) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED, "after loading, QEMU is " + status + files.tails());
    }
  }

  private String status(Machine connected) {
    return connected.execute("query-status", deadline).path("status").asText();
  }

  private Machine connected() {
    Machine connected = machine;
    if (connected == null) {
      throw new IllegalStateException("not connected");
    }
    return connected;
  }

  /** Kills the process and deletes everything this start created. */
  void abort() {
    Machine connected = machine;
    if (connected != null) {
      connected.kill(Deadline.after(CLEAN_UP));
    } else {
      process.kill(Deadline.after(CLEAN_UP));
    }
    files.removeAll();
  }
}
