// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.EgressPoint;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.storage.Attachment;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks that machines are as the probe's facts say. */
public abstract class MachineFactsChecks {
  /** Called by the kit. */
  protected MachineFactsChecks() {}

  public abstract MachineWorld world();

  private HypervisorFacts facts() {
    return world().facts();
  }

  @Test
  void aProbeStatesNoMoreThanTheBest() {
    HypervisorFacts best = world().harness.provider().atBest();
    HypervisorFacts here = facts();
    assertTrue(
        best.accepts().networks().containsAll(here.accepts().networks())
            && best.accepts().kernels().containsAll(here.accepts().kernels())
            && best.saves().tracking().containsAll(here.saves().tracking()),
        () -> "the probe states " + here + ", which is more than atBest(): " + best);
    assertEquals(
        best.restores().samePaths(),
        here.restores().samePaths(),
        "whether a restore opens the recorded paths does not depend on the host");
  }

  @Test
  void otherNetworksAndKernelsAreRefused() throws Exception {
    VmSpec good = world().spec();
    assertTrue(
        facts().accepts().networks().contains(good.network().kind()),
        "the harness must use a kind of network that the probe states");
    for (NetworkPlan plan :
        List.of(
            new NetworkPlan.User("127.0.0.9", List.of(), false),
            new NetworkPlan.Tap(
                world().root, "tap9", "06:00:00:00:00:09", "10.9.0.2", "10.9.0.1", 30, "127.0.0.9"),
            new NetworkPlan.None())) {
      if (!facts().accepts().networks().contains(plan.kind())) {
        refused(plan.kind() + ", a kind of network that is not stated", good.with(plan));
      }
    }
    Path kernel = good.boot().kernels().values().iterator().next();
    Map<KernelFormat, Path> others = new EnumMap<>(KernelFormat.class);
    for (KernelFormat format : KernelFormat.values()) {
      if (!facts().accepts().kernels().contains(format)) {
        others.put(format, kernel);
      }
    }
    refused("a kernel in no format that is stated", good.with(new Boot(others, null, "")));
  }

  private void refused(String what, VmSpec spec) throws Exception {
    RametException e =
        assertThrows(
            RametException.class,
            () -> world().driver.boot(spec, MachineWorld.TIMEOUT),
            () -> "refuse what cannot be: " + what);
    assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), e::toString);
    world().nothingLeft(spec, "a start that is refused (" + what + ")");
  }

  @Test
  void whatAGuestSendsPassesThroughItsEgressPoint() throws Exception {
    RunningVm booted = world().boot();
    sendsThrough(booted.spec(), booted.egress(), booted.pid());
    SavedVm saved = world().save(booted);
    VmSpec spec = world().spec();
    PausedVm paused = world().driver.restore(spec, saved, MachineWorld.TIMEOUT);
    sendsThrough(spec, paused.egress(), paused.pid());
    RunningVm vm = paused.resume();
    sendsThrough(spec, vm.egress(), vm.pid());
  }

  private void sendsThrough(VmSpec spec, EgressPoint point, long pid) throws Exception {
    if (spec.network() instanceof NetworkPlan.Tap tap) {
      assertEquals(
          new EgressPoint.Device(tap.netns(), tap.device()),
          point,
          "a guest with a tap device sends through the device that the host planned");
    } else if (point instanceof EgressPoint.Process process) {
      assertTrue(
          process.pid() == pid
              || world().harness.processes(spec.directory()).contains(process.pid()),
          "the process that a guest sends through is one of its machine's");
    } else {
      throw new AssertionError(
          "a guest without a device of the host sends through a process, not " + point);
    }
  }

  /** Firecracker, for one, marks the memory of its queues as written while it saves. */
  @Test
  void memoryStandsStillWhereThatIsStated() throws Exception {
    RunningVm vm = world().boot();
    byte[] before;
    byte[] saved;
    byte[] atResume;
    SavingVm saving;
    try (SavingVm paused = vm.pauseAndSave(world().directory("saved"))) {
      before = memory(paused, "before");
      paused.awaitDevices();
      saved = memory(paused, "after");
      MachineWorld.sleep();
      atResume = memory(paused, "resume");
      paused.resume();
      saving = paused;
    }
    saving.finishDevices();
    assertArrayEquals(
        saved, atResume, "memory does not change between the end of a save and the resume");
    if (facts().saves().memoryStable()) {
      assertArrayEquals(
          before, saved, "memory must not change in a save where 'memoryStable' is stated");
    }
    world().awaitRunning(vm);
  }

  private byte[] memory(PausedVm paused, String name) throws Exception {
    Path file = world().root.resolve(name + ".copy");
    Files.deleteIfExists(file);
    world().harness.copyMemory(paused.memory(), file);
    return Files.readAllBytes(file);
  }

  @Test
  void whatIsStatedForTrackingIsOffered() throws Exception {
    RunningVm booted = world().boot();
    RunningVm restored =
        world().driver.restore(world().spec(), world().save(booted), MachineWorld.TIMEOUT).resume();
    for (RunningVm vm : List.of(booted, restored)) {
      offered(Access.DIRTY_LOG, vm.memory().dirtyLog() != null);
      offered(Access.OFFERED_USERFAULTFD, vm.memory().userfaultfd() != null);
      assertEquals(vm.memory(), vm.memory(), "memory() is equal while nothing is mapped elsewhere");
    }
  }

  private void offered(Access access, boolean there) {
    assertEquals(
        facts().saves().tracking().contains(access),
        there,
        () -> "memory() offers '" + access + "' if and only if the probe states it");
  }

  @Test
  void disksAreOpenedByTheirRecordedPaths() throws Exception {
    if (!facts().restores().samePaths()) {
      return; // Each start is given its disks' images.
    }
    RunningVm vm = world().boot();
    SavedVm saved = world().save(vm);
    assertNotEquals(
        List.of(), vm.spec().disks(), "the harness must have a disk where 'samePaths' is stated");
    VmSpec missing = world().spec();
    for (Disk disk : missing.disks()) {
      Files.delete(missing.directory().resolve(disk.name()));
    }
    corrupt("without the link of a disk", missing, saved);
    VmSpec other = world().spec();
    Path larger = world().root.resolve("larger");
    for (Disk disk : other.disks()) {
      try (RandomAccessFile file = new RandomAccessFile(larger.toFile(), "rw")) {
        file.setLength(2 * Files.size(disk.image().path()));
      }
      Path link = other.directory().resolve(disk.name());
      Files.delete(link);
      Files.createSymbolicLink(link, larger);
    }
    corrupt(
        "with a disk of another size",
        other.with(
            other.disks().stream()
                .map(disk -> new Disk(disk.name(), new Attachment.LocalFile(larger, false)))
                .toList()),
        saved);
    world()
        .awaitRunning(world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume());
  }

  private void corrupt(String how, VmSpec spec, SavedVm saved) throws Exception {
    RametException e =
        assertThrows(
            RametException.class,
            () -> world().driver.restore(spec, saved, MachineWorld.TIMEOUT),
            () -> "refuse to restore " + how);
    assertEquals(ErrorCode.CORRUPT, e.code(), e::toString);
    world().nothingLeft(spec, "a restore " + how);
  }

  @Test
  void copiesGetAGenerationIdWhereThatIsStated() throws Exception {
    SavedVm saved = world().save(world().boot());
    RunningVm one = world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume();
    RunningVm other = world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume();
    String first = world().harness.generationId(one);
    if (first == null) {
      return; // This guest cannot report it.
    }
    assertEquals(
        facts().restores().newGenerationId(),
        !first.equals(world().harness.generationId(other)),
        "two copies of a machine have different generation ids if and only if the probe states"
            + " 'newGenerationId'");
    assertFalse(first.isBlank(), "a generation id is not blank");
  }
}
