// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Checks the ways in which a driver reaches disks and memory, and those that it refuses. */
public abstract class MachineAttachmentChecks {
  private static final int PAGE = 4096;

  /** Called by the kit. */
  protected MachineAttachmentChecks() {}

  /** Returns the world of the running check. */
  public abstract MachineWorld world();

  private HypervisorFacts facts() {
    ProbeResult probe = world().probe();
    if (probe instanceof ProbeResult.Usable usable
        && usable.facts() instanceof HypervisorFacts facts) {
      return facts;
    }
    throw new AssertionError("the driver is not usable here: " + probe);
  }

  /** A path of another kind must not be taken for a file. */
  @Test
  void disksOfKindsThatAreNotStatedAreRefused() throws Exception {
    HypervisorFacts facts = facts();
    Path socket = world().root.resolve("socket");
    Files.createFile(socket);
    for (Attachment.Protocol protocol : Attachment.Protocol.values()) {
      Attachment disk = new Attachment.Socket(socket, protocol, "", false);
      if (facts.attachments().contains(disk.kind())) {
        continue;
      }
      VmSpec spec = withDisk(world().spec(), disk);
      RametException e =
          assertThrows(
              RametException.class,
              () -> world().driver.boot(spec, MachineWorld.TIMEOUT),
              () -> "a disk by " + disk.kind() + ", which is not stated, must be refused");
      assertTrue(
          Set.of(ErrorCode.UNSUPPORTED, ErrorCode.INVALID_ARGUMENT).contains(e.code()),
          e::toString);
      world().nothingLeft(spec, "a start that is refused");
    }
  }

  private static VmSpec withDisk(VmSpec spec, Attachment disk) {
    return spec.with(List.of(new Disk("disk0", disk)));
  }

  @Test
  void aFaultHandlerIsRefusedOrUsed() throws Exception {
    RunningVm vm = world().boot();
    SavedVm saved;
    long count;
    try (PausedVm paused = vm.pause()) {
      count = world().harness.count(vm);
      saved = world().save(vm, paused);
    }
    if (facts().features().contains(HypervisorFeature.FAULT_HANDLER)) {
      restores(saved, count);
    } else {
      refuses(saved);
    }
  }

  private void refuses(SavedVm saved) throws IOException {
    MemorySource handler = new MemorySource.FaultHandler(world().root.resolve("nobody"));
    VmSpec spec = world().spec();
    RametException e =
        assertThrows(
            RametException.class,
            () ->
                world()
                    .driver
                    .restore(
                        spec,
                        new SavedVm(saved.devices(), handler, saved.identity()),
                        MachineWorld.TIMEOUT),
            "a driver that does not state '" + HypervisorFeature.FAULT_HANDLER + "' refuses one");
    assertEquals(ErrorCode.UNSUPPORTED, e.code(), e::toString);
    assertNotNull(e.remedy(), "the error must say what to do");
    world().nothingLeft(spec, "a restore that is refused");
  }

  private void restores(SavedVm saved, long count) throws Exception {
    byte[] image = Files.readAllBytes(saved.memory().path());
    List<Long> touched = new CopyOnWriteArrayList<>();
    MemorySource.FaultHandler handler = world().harness.serve(saved.memory().path(), touched);
    assertNotNull(handler, "the harness of a driver with fault handlers must serve images");
    SavedVm remote = new SavedVm(saved.devices(), handler, saved.identity());
    PausedVm paused = world().driver.restore(world().spec(), remote, MachineWorld.TIMEOUT);
    assertTrue(
        touched.size() < image.length / PAGE,
        "a machine that has not run yet must not have fetched all of its memory");
    assertTrue(
        paused.memory().regions().stream()
            .anyMatch(region -> region.kind() == MemoryRegion.Kind.FAULTED),
        "memory that a handler fills is " + MemoryRegion.Kind.FAULTED);
    Path copy = world().root.resolve("copy");
    world().harness.copyMemory(paused.memory(), copy);
    byte[] read = Files.readAllBytes(copy);
    for (int page = 0, differing = 0; page < image.length; page += PAGE) {
      int at = page;
      if (!Arrays.equals(image, page, page + PAGE, read, page, page + PAGE)) {
        differing++;
      }
      // A hypervisor may change a page or two to tell the guest that it is a copy.
      assertTrue(differing <= 2, () -> "the page at " + at + " was read with other content");
    }
    RunningVm clone = paused.resume();
    world()
        .await(
            "a machine whose memory is fetched must go on from where it was saved, at " + count,
            () -> world().harness.count(clone) > count);
  }
}
