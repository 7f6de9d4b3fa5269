// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Checks that invalid requests are refused with the error code that says whose fault it is, and
 * leave nothing behind.
 */
public abstract class MachineRefusalChecks {
  /** Called by the kit. */
  protected MachineRefusalChecks() {}

  private static final long MIB = 1 << 20;

  public abstract MachineWorld world();

  private void refused(String what, VmSpec spec, Set<ErrorCode> codes, Runnable call)
      throws Exception {
    RametException e =
        assertThrows(RametException.class, call::run, "refuse what cannot be: " + what);
    assertTrue(codes.contains(e.code()), () -> what + " is one of " + codes + ", not " + e);
    if (Files.isDirectory(spec.directory())) {
      world().nothingLeft(spec, "a start that is refused (" + what + ")");
    }
  }

  private void bootRefused(String what, VmSpec spec) throws Exception {
    refused(
        what,
        spec,
        EnumSet.of(ErrorCode.INVALID_ARGUMENT),
        () -> world().driver.boot(spec, MachineWorld.TIMEOUT));
  }

  private void restoreRefused(String what, VmSpec spec, SavedVm saved, ErrorCode... codes)
      throws Exception {
    refused(
        what, spec, Set.of(codes), () -> world().driver.restore(spec, saved, MachineWorld.TIMEOUT));
  }

  @Test
  void machinesThatCannotBe() throws Exception {
    VmSpec good = world().spec();
    Path nowhere = world().root.resolve("nowhere");
    bootRefused("no virtual CPU", sized(good, 0, good.memoryBytes()));
    bootRefused("a negative number of virtual CPUs", sized(good, -1, good.memoryBytes()));
    bootRefused("no memory", sized(good, 1, 0));
    bootRefused("negative memory", sized(good, 1, -MIB));
    bootRefused("memory that is no multiple of 1 MiB", sized(good, 1, MIB + 4096));
    bootRefused("a kernel that is not there", good.with(kernelAt(good.boot(), nowhere)));
    bootRefused("a directory that is not there", good.in(nowhere));
    Disk none = new Disk("disk0", new Attachment.LocalFile(nowhere, false));
    bootRefused("a disk that is not there", good.with(List.of(none)));
    if (good.network() instanceof NetworkPlan.User user) {
      bootRefused("an address of another host", on(good, "192.0.2.1", List.of()));
      bootRefused("an address that is none", on(good, "localhost,x=y", List.of()));
      bootRefused("port 0", on(good, user.address(), List.of(0)));
      bootRefused("port 65536", on(good, user.address(), List.of(65_536)));
    }
    world().awaitRunning(world().driver.boot(good, MachineWorld.TIMEOUT));
  }

  /** A driver that builds command lines from these names must quote them. */
  @Test
  void namesThatMeanSomethingElsewhere() throws Exception {
    int n = 0;
    for (String name : List.of("a,b=c", "a b", "-x", "a\"b", "$(id)", "ä→", "x".repeat(200))) {
      Path directory = world().directory("n" + n++ + ",a=b c");
      VmSpec spec = world().spec(name, directory);
      RunningVm vm = world().driver.boot(spec, MachineWorld.TIMEOUT);
      world().awaitRunning(vm);
      vm.kill(MachineWorld.TIMEOUT);
    }
  }

  @Test
  void portsThatAreNone() throws Exception {
    RunningVm vm = world().boot();
    for (int port : new int[] {0, -1, 65_536, Integer.MIN_VALUE}) {
      RametException e =
          assertThrows(
              RametException.class, () -> vm.endpoint(port), "refuse what is no port: " + port);
      assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }
    world().awaitRunning(vm);
  }

  @Test
  void aMachineOfAnotherShape() throws Exception {
    SavedVm saved = world().save(world().boot());
    VmSpec spec = world().spec();
    restoreRefused(
        "another virtual CPU",
        sized(spec, spec.cpuCount() + 1, spec.memoryBytes()),
        saved,
        ErrorCode.UNSUPPORTED);
    restoreRefused(
        "twice the memory",
        sized(spec, spec.cpuCount(), 2 * spec.memoryBytes()),
        saved,
        ErrorCode.UNSUPPORTED);
    VmIdentity own = saved.identity();
    restoreRefused(
        "a state of another hypervisor",
        spec,
        as(saved, new VmIdentity("another", own.version(), own.machine())),
        ErrorCode.UNSUPPORTED);
    restoreRefused(
        "a state of another version",
        spec,
        as(saved, new VmIdentity(own.hypervisor(), "0.0.1-other", own.machine())),
        ErrorCode.UNSUPPORTED);
    restoreRefused(
        "a state of another machine",
        spec,
        as(saved, new VmIdentity(own.hypervisor(), own.version(), Map.of("unheard-of", "x"))),
        ErrorCode.UNSUPPORTED);
    world().awaitRunning(world().driver.restore(spec, saved, MachineWorld.TIMEOUT).resume());
  }

  @Test
  void aStateThatIsDamaged() throws Exception {
    SavedVm saved = world().save(world().boot());
    VmSpec spec = world().spec();
    ErrorCode[] damaged = {ErrorCode.CORRUPT, ErrorCode.HYPERVISOR_FAILED};
    for (String name : MachineWorld.names(saved.devices())) {
      Path file = saved.devices().resolve(name);
      byte[] good = Files.readAllBytes(file);
      Files.write(file, Arrays.copyOf(good, good.length / 2));
      restoreRefused("half of " + name, spec, saved, damaged);
      Files.write(file, new byte[good.length]);
      restoreRefused("zeros for " + name, spec, saved, damaged);
      Files.delete(file);
      restoreRefused("no " + name, spec, saved, damaged);
      Files.write(file, good);
    }
    Path image = saved.memory().path();
    byte[] whole = Files.readAllBytes(image);
    Files.write(image, Arrays.copyOf(whole, whole.length / 2));
    restoreRefused("half of the memory image", spec, saved, damaged);
    Files.delete(image);
    restoreRefused("no memory image", spec, saved, damaged);
    Files.write(image, whole);
    world().awaitRunning(world().driver.restore(spec, saved, MachineWorld.TIMEOUT).resume());
  }

  @Test
  void twoMachinesInOneDirectory() throws Exception {
    RunningVm vm = world().boot();
    SavedVm saved = world().save(vm);
    Set<String> before = MachineWorld.names(vm.spec().directory());
    for (Runnable second :
        List.<Runnable>of(
            () -> world().driver.boot(vm.spec(), MachineWorld.TIMEOUT),
            () -> world().driver.restore(vm.spec(), saved, MachineWorld.TIMEOUT))) {
      RametException e =
          assertThrows(RametException.class, second::run, "a machine's directory is not another's");
      assertEquals(ErrorCode.CONFLICT, e.code(), e::toString);
    }
    assertEquals(
        before, MachineWorld.names(vm.spec().directory()), "the first machine's files stay");
    world().awaitRunning(vm);
  }

  @Test
  void twoPausesOfOneMachine() throws Exception {
    RunningVm vm = world().boot();
    Path saved = world().directory("saved");
    try (PausedVm paused = vm.pause()) {
      for (Runnable second : List.<Runnable>of(vm::pause, () -> vm.pauseAndSave(saved))) {
        RametException e =
            assertThrows(RametException.class, second::run, "a paused machine is not paused again");
        assertEquals(ErrorCode.CONFLICT, e.code(), e::toString);
      }
      world().standsStill(vm, "a pause that is refused must not end the one under way");
      assertEquals(vm.pid(), paused.pid());
    }
    world().awaitRunning(vm);
    assertEquals(Set.of(), MachineWorld.names(saved), "a pause that is refused saves nothing");
  }

  @Test
  void devicesThatCannotBeSaved() throws Exception {
    RunningVm vm = world().boot();
    Path nowhere = world().root.resolve("nowhere");
    try (PausedVm paused = vm.pause()) {
      assertThrows(
          RametException.class,
          () -> paused.saveDevices(nowhere),
          "a directory that is not there takes no state");
      world().standsStill(vm, "a save that fails must not end the pause");
    }
    world().awaitRunning(vm);
    world().save(vm);
  }

  @Test
  void aDeadlineThatCannotBeKept() throws Exception {
    VmSpec spec = world().spec();
    try {
      world().driver.boot(spec, Duration.ofMillis(1)).kill(MachineWorld.TIMEOUT);
    } catch (RametException e) {
      assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code(), e::toString);
      world().nothingLeft(spec, "a start that runs out of time");
    }
    world().awaitRunning(world().driver.boot(spec, MachineWorld.TIMEOUT));
  }

  private static SavedVm as(SavedVm saved, VmIdentity identity) {
    return new SavedVm(saved.devices(), saved.memory(), identity);
  }

  private static VmSpec sized(VmSpec spec, int cpus, long memoryBytes) {
    return spec.sized(cpus, memoryBytes);
  }

  private static Boot kernelAt(Boot boot, Path elsewhere) {
    Map<KernelFormat, Path> kernels = new EnumMap<>(KernelFormat.class);
    boot.kernels().keySet().forEach(format -> kernels.put(format, elsewhere));
    return new Boot(kernels, boot.initrd(), boot.guestArguments());
  }

  private static VmSpec on(VmSpec spec, String address, List<Integer> ports) {
    return spec.with(new NetworkPlan.User(address, ports, false));
  }
}
