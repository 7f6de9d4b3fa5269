// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.HypervisorCapabilities;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.memory.MemoryRegion;
import java.util.Set;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** What the probe states is so, and what it does not state is not done. */
abstract class MachineCapabilityChecks {
  abstract MachineWorld world();

  private Set<String> stated() {
    ProbeResult result = world().probe();
    if (result instanceof ProbeResult.Usable usable) {
      return usable.capabilities();
    }
    return Assertions.fail("the hypervisor must be usable where it is tested: " + result);
  }

  @Test
  void aProbeLeavesNothing() throws Exception {
    Set<String> before = MachineWorld.names(world().directory("driver"));
    stated();
    assertEquals(
        before, MachineWorld.names(world().directory("driver")), "a probe removes its files");
    assertEquals(Set.of(), world().harness.processes(world().root), "a probe ends its processes");
  }

  @Test
  void diskWritesAreCountedWhereThatIsStated() throws Exception {
    boolean stated = stated().contains(HypervisorCapabilities.DISK_WRITES);
    RunningVm booted = world().boot();
    SavedVm saved = world().save(booted);
    RunningVm restored =
        world().driver.restore(world().spec(), saved, MachineWorld.PATIENCE).resume();
    for (RunningVm vm : new RunningVm[] {booted, restored}) {
      assertEquals(
          stated,
          vm instanceof DiskWrites,
          "machines are DiskWrites if and only if the probe states '"
              + HypervisorCapabilities.DISK_WRITES
              + "'");
      if (vm instanceof DiskWrites disk) {
        long before = disk.diskWrites();
        assertTrue(before >= 0, "a count is not negative");
        try (PausedVm paused = vm.pause()) {
          long now = disk.diskWrites();
          assertTrue(now >= before, "a count does not go back");
          assertEquals(now, disk.diskWrites(), "a machine that stands still writes nothing");
          assertEquals(vm.pid(), paused.pid());
        }
      }
    }
  }

  /** On that rest the memory modes that copy only what changed since a restore. */
  @Test
  void restoredMemoryIsMappedPrivately() throws Exception {
    SavedVm saved = world().save(world().boot());
    RunningVm vm = world().driver.restore(world().spec(), saved, MachineWorld.PATIENCE).resume();
    for (MemoryRegion region : vm.memory().regions()) {
      assertTrue(
          region.kind() != MemoryRegion.Kind.SHARED,
          "restored memory is a private mapping of the image, or anonymous: " + region);
    }
  }
}
