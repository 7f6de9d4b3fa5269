// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.tck.support.Threads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that a machine continues from where it was saved, any number of times. */
public abstract class MachineRestoreChecks {
  /** Called by the kit. */
  protected MachineRestoreChecks() {}

  public abstract MachineWorld world();

  @Test
  void aRestoredMachineStandsStillWhereItWasSavedAndGoesOn() throws Exception {
    RunningVm vm = world().boot();
    SavedVm saved;
    long count;
    try (PausedVm paused = vm.pause()) {
      count = world().standsStill(vm, "a paused machine stands still");
      saved = world().save(vm, paused);
      assertEquals(count, world().harness.count(vm), "a save changes no memory");
    }
    VmSpec spec = world().spec();
    PausedVm paused = world().driver.restore(spec, saved, MachineWorld.TIMEOUT);
    RunningVm clone = paused.resume();
    assertEquals(spec, clone.spec());
    assertNotEquals(vm.pid(), clone.pid(), "a restored machine has a process of its own");
    assertEquals(vm.identity(), clone.identity(), "a restored machine is what was saved");
    world()
        .await(
            "a restored machine must go on from where it was saved, at " + count,
            () -> world().harness.count(clone) > count);
    world().awaitRunning(vm);
  }

  @Test
  void aRestoredMachineDoesNothingBeforeItIsResumed() throws Exception {
    SavedVm saved = world().save(world().boot());
    byte[] image = Files.readAllBytes(saved.memory().path());
    try (PausedVm paused = world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT)) {
      Path first = world().root.resolve("first");
      world().harness.copyMemory(paused.memory(), first);
      MachineWorld.sleep();
      Path second = world().root.resolve("second");
      world().harness.copyMemory(paused.memory(), second);
      assertArrayEquals(
          Files.readAllBytes(first),
          Files.readAllBytes(second),
          "restore() stops before the first instruction");
      assertTrue(
          differingPages(image, Files.readAllBytes(first)) <= 2,
          "the memory of a restored machine is that of the image");
    }
  }

  /** A hypervisor may change a page or two to tell the guest that it is a copy. */
  private static int differingPages(byte[] one, byte[] other) {
    int differing = 0;
    for (int page = 0; page < one.length; page += 4096) {
      differing += Arrays.equals(one, page, page + 4096, other, page, page + 4096) ? 0 : 1;
    }
    return differing;
  }

  @Test
  void theImageIsNeverWritten() throws Exception {
    SavedVm saved = world().save(world().boot());
    byte[] image = Files.readAllBytes(saved.memory().path());
    RunningVm clone = world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume();
    world().awaitRunning(clone);
    SavedVm again = world().save(clone);
    clone.kill(MachineWorld.TIMEOUT);
    assertArrayEquals(
        image,
        Files.readAllBytes(saved.memory().path()),
        "a memory image is mapped privately: others start from it too");
    world()
        .awaitRunning(world().driver.restore(world().spec(), again, MachineWorld.TIMEOUT).resume());
  }

  @Test
  void manyFromOneImage() throws Exception {
    SavedVm saved = world().save(world().boot());
    List<RunningVm> clones = new ArrayList<>();
    Threads.run(
        4,
        n -> {
          VmSpec spec;
          synchronized (clones) {
            spec = world().spec();
          }
          RunningVm clone = world().driver.restore(spec, saved, MachineWorld.TIMEOUT).resume();
          synchronized (clones) {
            clones.add(clone);
          }
        });
    assertEquals(4, clones.stream().map(RunningVm::pid).distinct().count());
    for (RunningVm clone : clones) {
      world().awaitRunning(clone);
    }
    clones.get(0).kill(MachineWorld.TIMEOUT);
    world().awaitRunning(clones.get(1));
  }

  @Test
  void aSaveOnTheWayOutOfAPauseIsWhole() throws Exception {
    RunningVm vm = world().boot();
    Path devices = world().directory("saved");
    Path image = world().root.resolve("saved.memory");
    SavingVm saving;
    try (SavingVm paused = vm.pauseAndSave(devices)) {
      boolean stable = world().facts().saves().memoryStable();
      if (stable) {
        world().harness.copyMemory(paused.memory(), image);
      }
      paused.awaitDevices();
      if (!stable) {
        world().harness.copyMemory(paused.memory(), image);
      }
      paused.resume();
      saving = paused;
    }
    saving.finishDevices();
    SavedVm saved = new SavedVm(devices, new MemorySource.MappedImage(image), vm.identity());
    world()
        .awaitRunning(world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume());
  }

  @Test
  void whatWasSavedOutlivesItsMachineAndItsDriver() throws Exception {
    RunningVm vm = world().boot();
    SavedVm saved = world().save(vm);
    vm.kill(MachineWorld.TIMEOUT);
    world().driver.close();
    world()
        .awaitRunning(world().open().restore(world().spec(), saved, MachineWorld.TIMEOUT).resume());
  }
}
