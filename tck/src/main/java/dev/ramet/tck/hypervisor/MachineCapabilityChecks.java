// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.hypervisor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.DiskWrites;
import dev.ramet.spi.hypervisor.GuestSecret;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.StopsOnDiskError;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.WriteLog.Written;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Checks that every stated capability holds and that one that is not stated is absent. */
public abstract class MachineCapabilityChecks {
  /** Called by the kit. */
  protected MachineCapabilityChecks() {}

  private static final int WRITE_BYTES = 8192;

  /** Larger than the granularity of a dirty bitmap of a small disk. */
  private static final long PLACE_BYTES = 256 << 10;

  public abstract MachineWorld world();

  private Set<HypervisorFeature> stated() {
    ProbeResult result = world().probe();
    if (result instanceof ProbeResult.Usable usable
        && usable.facts() instanceof HypervisorFacts facts) {
      return facts.features();
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
  void aProbeStatesNoMoreThanTheBest() {
    Set<HypervisorFeature> best = world().harness.provider().atBest().features();
    assertTrue(
        best.containsAll(stated()),
        () -> "the probe states " + stated() + ", which is more than atBest(): " + best);
  }

  @Test
  void diskWritesAreCountedWhereThatIsStated() throws Exception {
    whereStated(HypervisorFeature.DISK_WRITES, DiskWrites.class, this::countsWrites);
  }

  @Test
  void diskWritesAreToldWhereThatIsStated() throws Exception {
    whereStated(HypervisorFeature.DISK_WRITE_LOG, DiskWriteLog.class, this::tellsWrites);
  }

  @Test
  void aDiskErrorStopsMachinesWhereThatIsStated() throws Exception {
    whereStated(HypervisorFeature.STOPS_ON_DISK_ERROR, StopsOnDiskError.class, this::goesOn);
  }

  private void goesOn(RunningVm vm, StopsOnDiskError stops) throws IOException {
    assertEquals(Optional.empty(), stops.diskStop(), "no disk has stopped a machine that runs");
    stops.onDiskStop(() -> {});
    stops.goOn();
    assertEquals(Optional.empty(), stops.diskStop(), "going on does nothing while it runs");
    try (PausedVm paused = vm.pause()) {
      assertEquals(Optional.empty(), stops.diskStop(), "a pause is no error of a disk");
      RametException e = assertThrows(RametException.class, stops::goOn);
      assertEquals(ErrorCode.CONFLICT, e.code(), "a paused machine does not go on");
      assertEquals(vm.pid(), paused.pid());
    }
    world().awaitRunning(vm);
  }

  @Test
  void aSecretIsForTheGuestsRootAlone() throws Exception {
    if (!stated().contains(HypervisorFeature.GUEST_SECRET)) {
      return; // Specifications then carry no secret.
    }
    RunningVm plain = world().boot();
    RunningVm booted = withSecret("of-the-first", null);
    keepsSecret(booted, "of-the-first", "a machine that is booted");
    SavedVm saved = world().save(booted);
    RunningVm restored = withSecret("of-the-second", saved);
    keepsSecret(restored, "of-the-second", "a machine that is restored from one with a secret");
    keepsSecret(
        withSecret("of-the-third", world().save(plain)),
        "of-the-third",
        "a machine that is restored from one without");
    world()
        .awaitRunning(world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume());
  }

  private RunningVm withSecret(String text, @Nullable SavedVm saved) throws IOException {
    VmSpec spec = world().spec().with(new GuestSecret(text));
    RunningVm vm =
        saved == null
            ? world().driver.boot(spec, MachineWorld.TIMEOUT)
            : world().driver.restore(spec, saved, MachineWorld.TIMEOUT).resume();
    world().awaitRunning(vm);
    return vm;
  }

  private void keepsSecret(RunningVm vm, String text, String what) throws IOException {
    String seen = world().harness.secret(vm);
    if (seen != null) {
      assertEquals(text, seen, what + " has the secret of its own specification");
    }
    for (long pid : world().harness.processes(vm.spec().directory())) {
      for (String name : List.of("cmdline", "environ")) {
        Path file = Path.of("/proc", Long.toString(pid), name);
        if (Files.isReadable(file)) {
          assertTrue(
              !Files.readString(file, StandardCharsets.ISO_8859_1).contains(text),
              "the secret of " + what + " must not be readable in " + name + " of its process");
        }
      }
    }
    try (Stream<Path> files = Files.list(vm.spec().directory())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        boolean others =
            !Collections.disjoint(
                Files.getPosixFilePermissions(file),
                Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ));
        assertTrue(
            !others || !Files.readString(file, StandardCharsets.ISO_8859_1).contains(text),
            "the secret of " + what + " must not be readable for others in " + file);
      }
    }
  }

  /** Checks one capability of a machine. */
  private interface Check<C> {
    void of(RunningVm vm, C capability) throws IOException;
  }

  /** Requires that every machine has a capability or none has, as the probe states. */
  private <C> void whereStated(HypervisorFeature capability, Class<C> type, Check<C> check)
      throws Exception {
    boolean stated = stated().contains(capability);
    RunningVm booted = world().boot();
    SavedVm saved = world().save(booted);
    RunningVm restored =
        world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume();
    for (RunningVm vm : new RunningVm[] {booted, restored}) {
      assertEquals(
          stated,
          type.isInstance(vm),
          "machines are "
              + type.getSimpleName()
              + " if and only if the probe states '"
              + capability
              + "'");
      if (stated) {
        check.of(vm, type.cast(vm));
      }
    }
  }

  private void countsWrites(RunningVm vm, DiskWrites disk) {
    long before = disk.diskWrites();
    assertTrue(before >= 0, "a count is not negative");
    try (PausedVm paused = vm.pause()) {
      long now = disk.diskWrites();
      assertTrue(now >= before, "a count does not go back");
      assertEquals(now, disk.diskWrites(), "a machine that stands still writes nothing");
      assertEquals(vm.pid(), paused.pid());
    }
  }

  private void tellsWrites(RunningVm vm, DiskWriteLog log) throws IOException {
    for (int none : new int[] {-1, vm.spec().disks().size()}) {
      RametException e = assertThrows(RametException.class, () -> log.takeWrites(none));
      assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), "there is no disk " + none);
    }
    Written first = log.takeWrites(0);
    assertEquals(WriteLog.NO_MARK, first.since(), "nothing is known before the first answer");
    write(vm, 0);
    write(vm, PLACE_BYTES);
    Written both = log.takeWrites(0);
    follows(first, both);
    assertTrue(tells(both, 0) && tells(both, PLACE_BYTES), "what is written is told: " + both);
    write(vm, 2 * PLACE_BYTES);
    Written last;
    try (PausedVm paused = vm.pause()) {
      last = log.takeWrites(0);
      follows(both, last);
      assertTrue(tells(last, 2 * PLACE_BYTES), "what is written is told in a pause: " + last);
      assertTrue(!tells(last, 0), "what was told is not told again: " + last);
      assertTrue(!tells(last, 3 * PLACE_BYTES), "what is not written is not told: " + last);
      Written none = log.takeWrites(0);
      follows(last, none);
      assertEquals(List.of(), none.ranges(), "a machine that stands still writes nothing");
      last = none;
      assertEquals(vm.pid(), paused.pid());
    }
    world().awaitRunning(vm);
    follows(last, log.takeWrites(0));
  }

  private void write(RunningVm vm, long offset) throws IOException {
    assertTrue(
        world().harness.writeDisk(vm, offset, WRITE_BYTES),
        "the harness of a driver that states '"
            + HypervisorFeature.DISK_WRITE_LOG
            + "' must let guests write");
  }

  private static void follows(Written before, Written now) {
    assertEquals(before.until(), now.since(), "an answer begins at the mark of the one before");
    assertNotEquals(before.until(), now.until(), "a mark is given once");
  }

  /** Returns whether a result covers everything that was written there. */
  private static boolean tells(Written written, long offset) {
    return written.ranges().stream()
        .anyMatch(
            range ->
                range.offset() <= offset
                    && range.offset() + range.lengthBytes() >= offset + WRITE_BYTES);
  }

  /** The memory modes that copy only what changed since a restore rely on this. */
  @Test
  void restoredMemoryIsMappedPrivately() throws Exception {
    SavedVm saved = world().save(world().boot());
    RunningVm vm = world().driver.restore(world().spec(), saved, MachineWorld.TIMEOUT).resume();
    for (MemoryRegion region : vm.memory().regions()) {
      assertTrue(
          region.kind() != MemoryRegion.Kind.SHARED,
          "restored memory is a private mapping of the image, or anonymous: " + region);
    }
  }
}
