// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmExit;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Checks a machine from its first instruction to its last. */
public abstract class MachineLifeChecks {
  /** Called by the kit. */
  protected MachineLifeChecks() {}

  private static final long PAGE_BYTES = 4096;

  public abstract MachineWorld world();

  @Test
  void aBootedMachineRunsAndSaysWhatItIs() throws Exception {
    VmSpec spec = world().spec();
    RunningVm vm = world().driver.boot(spec, MachineWorld.TIMEOUT);
    world().awaitRunning(vm);
    assertEquals(spec, vm.spec(), "spec() is what the machine was started with");
    assertEquals(
        world().harness.provider().id(),
        vm.identity().hypervisor(),
        "identity().hypervisor() is the provider's id");
    assertFalse(vm.identity().version().isBlank(), "identity().version() must name a version");
    assertTrue(
        world().harness.processes(spec.directory()).contains(vm.pid()),
        "pid() is the process that works in the machine's directory");
    assertFalse(vm.exit().toCompletableFuture().isDone(), "exit() is not complete while it runs");
    assertEquals(
        Set.of(),
        world().harness.processes(world().directory("driver")),
        "open() must start no process of its own");
  }

  @Test
  void memoryIsWhereTheMachineHasIt() throws Exception {
    RunningVm vm = world().boot();
    whole(vm.memory(), vm);
    try (PausedVm paused = vm.pause()) {
      whole(paused.memory(), vm);
      assertEquals(vm.pid(), paused.pid(), "the pause is of the machine's process");
    }
  }

  private static void whole(GuestMemory memory, RunningVm vm) {
    assertEquals(vm.pid(), memory.pid(), "memory() is of the machine's process");
    assertEquals(
        vm.spec().memoryBytes(), memory.imageSizeBytes(), "the image is as large as the memory");
    long end = 0;
    for (MemoryRegion region : memory.regions()) {
      assertEquals(
          end, region.imageOffset(), "regions are sorted, and cover the image without a gap");
      assertTrue(
          region.lengthBytes() > 0 && region.lengthBytes() % PAGE_BYTES == 0,
          "a region has whole pages: " + region);
      assertEquals(0, region.address() % PAGE_BYTES, "a region begins with a page: " + region);
      end += region.lengthBytes();
    }
    assertEquals(memory.imageSizeBytes(), end, "regions cover the whole image");
  }

  @Test
  void aPausedMachineStandsStillUntilItIsResumed() throws Exception {
    RunningVm vm = world().boot();
    try (PausedVm paused = vm.pause()) {
      world().standsStill(vm, "pause() returns once the virtual CPUs have stopped");
      RunningVm resumed = paused.resume();
      assertEquals(vm.pid(), resumed.pid(), "resume() answers the same machine");
      assertSame(resumed, paused.resume(), "a second resume() answers the same machine");
    }
    world().awaitRunning(vm);
  }

  @Test
  void closingAPauseLetsTheMachineRun() throws Exception {
    RunningVm vm = world().boot();
    PausedVm paused = vm.pause();
    world().standsStill(vm, "pause() returns once the virtual CPUs have stopped");
    paused.close();
    world().awaitRunning(vm);
    paused.close();
    PausedVm next = vm.pause();
    paused.close();
    world().standsStill(vm, "close() of an earlier pause must not end a later one");
    next.close();
    world().awaitRunning(vm);
  }

  @Test
  void aPauseThatEndsTheMachine() throws Exception {
    RunningVm vm = world().boot();
    try (PausedVm paused = vm.pause()) {
      paused.kill();
    }
    VmExit exit = world().ended(vm);
    assertTrue(exit.requested(), "kill() of a pause is a requested end");
    assertEquals(
        Set.of(),
        world().harness.processes(vm.spec().directory()),
        "kill() waits until the process is gone, and close() does not bring it back");
  }

  @Test
  void devicesAreSavedWhileItStandsStillAndItRunsOn() throws Exception {
    RunningVm vm = world().boot();
    Path saved = world().directory("saved");
    SavingVm saving;
    try (SavingVm paused = vm.pauseAndSave(saved)) {
      long count = world().standsStill(vm, "pauseAndSave() returns once the machine has stopped");
      paused.awaitDevices();
      assertEquals(
          count,
          world().standsStill(vm, "a save must not let the machine run"),
          "guest memory does not change while devices are saved");
      paused.resume();
      saving = paused;
    }
    world().awaitRunning(vm);
    saving.finishDevices();
    assertNotEquals(Set.of(), MachineWorld.names(saved), "a finished save has files");
    world().awaitRunning(vm);
  }

  @Test
  void aSaveThatIsGivenUpLeavesTheMachineRunning() throws Exception {
    RunningVm vm = world().boot();
    Path saved = world().directory("saved");
    Set<String> before = MachineWorld.names(vm.spec().directory());
    vm.pauseAndSave(saved).close();
    world().awaitRunning(vm);
    assertEquals(
        before,
        MachineWorld.names(vm.spec().directory()),
        "close() of a save that was not finished must remove what was written");
    assertEquals(Set.of(), MachineWorld.names(saved), "a save that was given up is of no use");
    world().save(vm);
  }

  @Test
  void aKilledMachineIsGoneWhenTheCallReturns() throws Exception {
    RunningVm vm = world().boot();
    RunningVm other = world().boot();
    vm.kill(MachineWorld.TIMEOUT);
    assertEquals(
        Set.of(),
        world().harness.processes(vm.spec().directory()),
        "kill() waits until the process is gone");
    VmExit exit = world().ended(vm);
    assertTrue(exit.requested(), "an end by kill() is a requested one");
    vm.kill(MachineWorld.TIMEOUT);
    world().awaitRunning(other);
    RunningVm again = world().driver.boot(vm.spec(), MachineWorld.TIMEOUT);
    world().awaitRunning(again);
  }

  @Test
  void aPortIsForwardedOnce() throws Exception {
    RunningVm vm = world().boot();
    InetSocketAddress address = vm.endpoint(8080);
    NetworkPlan plan = vm.spec().network();
    if (plan instanceof NetworkPlan.User user) {
      assertEquals(
          user.address(),
          address.getAddress().getHostAddress(),
          "a forwarded port is on the machine's own address");
    } else if (plan instanceof NetworkPlan.Tap tap) {
      assertEquals(
          tap.endpoint(),
          address.getAddress().getHostAddress(),
          "a port is reached at the address that the host planned");
    }
    assertEquals(address, vm.endpoint(8080), "a port that is reached already stays where it is");
    assertNotEquals(address, vm.endpoint(8081), "two ports of the guest are two of the host");
  }
}
