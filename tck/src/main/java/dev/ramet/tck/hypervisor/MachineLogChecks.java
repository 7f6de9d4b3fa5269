// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.DirtyLog;
import dev.ramet.spi.memory.PageRanges;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Checks logs of written pages, where the probe states them. */
public abstract class MachineLogChecks {
  /** Called by the kit. */
  protected MachineLogChecks() {}

  private static final int PAGE_BYTES = 4096;

  public abstract MachineWorld world();

  private boolean stated() {
    return world().facts().saves().tracking().contains(Access.DIRTY_LOG);
  }

  private static DirtyLog log(RunningVm vm) {
    return Objects.requireNonNull(vm.memory().dirtyLog());
  }

  @Test
  void aLogBeginsWithTheFirstInstruction() throws Exception {
    if (!stated()) {
      return;
    }
    SavedVm saved = world().save(world().boot());
    byte[] image = Files.readAllBytes(saved.memory().path());
    RunningVm vm = world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume();
    world().awaitRunning(vm);
    try (PausedVm paused = vm.pause()) {
      DirtyLog.Drained first = log(vm).drain();
      assertEquals(DirtyLog.START, first.since(), "the first result begins with the start");
      covers(first.pages(), image, memory(paused));
    }
  }

  @Test
  void everyWriteIsInTheNextResult() throws Exception {
    if (!stated()) {
      return;
    }
    RunningVm vm = world().boot();
    DirtyLog.Drained last = log(vm).drain();
    byte[] before;
    try (PausedVm paused = vm.pause()) {
      last = follows(last, log(vm).drain());
      before = memory(paused);
      DirtyLog.Drained none = follows(last, log(vm).drain());
      assertEquals(0, none.pages().copyBytes(), "a machine that stands still writes nothing");
      last = none;
    }
    world().awaitRunning(vm);
    try (SavingVm paused = vm.pauseAndSave(world().directory("saved"))) {
      paused.awaitDevices();
      last = follows(last, log(vm).drain());
      covers(last.pages(), before, memory(paused));
      paused.resume();
    }
  }

  @Test
  void anotherHostDoesNotTakeAResultForTheFirst() throws Exception {
    if (!stated()) {
      return;
    }
    RunningVm vm = world().boot();
    DirtyLog.Drained last = log(vm).drain();
    world().driver.close();
    Hypervisor next = world().open();
    RunningVm found = next.reattach(vm.spec(), MachineWorld.TIMEOUT).orElseThrow();
    DirtyLog.Drained now = log(found).drain();
    assertTrue(
        now.since() == last.until() || now.since() == DirtyLog.UNKNOWN,
        () -> "after a restart of the host a log goes on, or says that it does not know: " + now);
  }

  private static DirtyLog.Drained follows(DirtyLog.Drained before, DirtyLog.Drained now) {
    assertEquals(before.until(), now.since(), "a result begins at the mark of the one before");
    assertNotEquals(before.until(), now.until(), "a mark is given once");
    return now;
  }

  private byte[] memory(PausedVm paused) throws Exception {
    Path file = world().root.resolve("log.copy");
    Files.deleteIfExists(file);
    world().harness.copyMemory(paused.memory(), file);
    return Files.readAllBytes(file);
  }

  /** Requires that each page that differs is among those that were written. */
  private static void covers(PageRanges written, byte[] before, byte[] now) {
    for (int at = 0; at < now.length; at += PAGE_BYTES) {
      if (!Arrays.equals(before, at, at + PAGE_BYTES, now, at, at + PAGE_BYTES)) {
        int page = at;
        assertTrue(has(written, page), () -> "the page at " + page + " was written: log it");
      }
    }
  }

  private static boolean has(PageRanges written, long offset) {
    for (int i = 0; i < written.count(); i++) {
      long from = written.imageOffset(i);
      if (from <= offset && offset < from + written.lengthBytes(i)) {
        return true;
      }
    }
    return false;
  }
}
