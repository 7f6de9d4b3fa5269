// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.hypervisors.qemu.monitor.Deadline;
import dev.ramet.hypervisors.qemu.monitor.Qmp;
import dev.ramet.hypervisors.qemu.monitor.QmpException;
import dev.ramet.hypervisors.qemu.process.Machine;
import dev.ramet.hypervisors.qemu.process.VmProcess;
import dev.ramet.hypervisors.qemu.program.CommandLine;
import dev.ramet.hypervisors.qemu.program.VmFiles;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The facts a QEMU reports about itself over QMP, without a machine. It is not asked for its
 * devices: to list them it loads all its modules, and dies of a broken one even if nobody needs it.
 * {@link Trial} finds out whether the devices exist.
 *
 * @param version number and packager's version
 * @param pc the versioned machine type behind the alias {@code pc}
 * @param missing commands the driver needs and this build lacks; empty if it has them all
 */
public record BinaryFacts(String version, Optional<String> pc, Set<String> missing) {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /**
   * The commands the driver needs. {@code xen-save-devices-state} saves device state without
   * memory, and exists with and without Xen.
   */
  private static final Set<String> COMMANDS =
      Set.of(
          "xen-save-devices-state",
          "migrate",
          "migrate-set-capabilities",
          "stop",
          "cont",
          "transaction",
          "block-dirty-bitmap-add",
          "block-dirty-bitmap-disable",
          "block-dirty-bitmap-remove",
          "block-export-add",
          "block-export-del",
          "nbd-server-start",
          "nbd-server-stop");

  public static BinaryFacts query(Path binary, Path scratch) {
    VmFiles files = VmFiles.of(scratch);
    VmProcess process =
        VmProcess.start(
            List.of(
                binary.toString(),
                "-machine",
                "none",
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none",
                "-S",
                "-qmp",
                CommandLine.MONITOR,
                // Lets a later host process find this QEMU if this process dies first.
                "-pidfile",
                files.pidFile().toString()),
            files.directory(),
            Path.of("/dev/null"),
            files.log());
    Deadline deadline = Deadline.after(TIMEOUT);
    try (Qmp qmp =
        Qmp.connect(files.socket(VmFiles.MONITOR, process.pid()), process::alive, deadline)) {
      Machine machine = new Machine(files, process, qmp);
      Set<String> missing = new HashSet<>(COMMANDS);
      missing.removeAll(names(machine.execute("query-commands", deadline)));
      Optional<String> pc = Optional.empty();
      for (JsonNode type : machine.execute("query-machines", deadline)) {
        if (type.path("alias").asText().equals("pc")) {
          pc = Optional.of(type.path("name").asText());
        }
      }
      return new BinaryFacts(QemuHypervisor.version(machine, deadline), pc, missing);
    } catch (QmpException e) {
      throw Machine.failure(files, e);
    } finally {
      process.kill(Deadline.after(TIMEOUT));
    }
  }

  private static Set<String> names(JsonNode list) {
    Set<String> names = new HashSet<>();
    list.forEach(entry -> names.add(entry.path("name").asText()));
    return names;
  }
}
