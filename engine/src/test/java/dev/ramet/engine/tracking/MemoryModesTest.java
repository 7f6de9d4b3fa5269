// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import static dev.ramet.spi.memory.MemoryFeature.ANY_MEMORY;
import static dev.ramet.spi.memory.MemoryFeature.LIVE;
import static dev.ramet.spi.memory.MemoryFeature.SINCE_CAPTURE;
import static dev.ramet.spi.memory.MemoryFeature.SINCE_RESTORE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryTracker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class MemoryModesTest {
  private static final String INSTEAD = "do not force a memory mode, so that another one is chosen";

  /** The facts of the host's own modes, best first. */
  private static final Map<String, MemoryFacts> FACTS = new LinkedHashMap<>();

  static {
    FACTS.put("write-tracking", MemoryFacts.of(SINCE_RESTORE, SINCE_CAPTURE, LIVE));
    FACTS.put("soft-dirty", MemoryFacts.of(SINCE_RESTORE, SINCE_CAPTURE));
    FACTS.put("incremental", MemoryFacts.of(SINCE_RESTORE));
    FACTS.put("full", MemoryFacts.of(ANY_MEMORY));
  }

  private final RametException refused =
      new RametException(ErrorCode.UNSUPPORTED, "tracking lost: remapped");

  private static final class FakeMode implements MemoryMode {
    @Override
    public MemoryTracker attach(GuestMemory memory) {
      throw new IllegalStateException("only chosen here, never used");
    }

    @Override
    public void close() {}
  }

  private static MemoryModes modes(@Nullable String forced, String... ids) {
    List<ModeCandidate> ranked = new ArrayList<>();
    FACTS.forEach(
        (id, facts) -> {
          if (List.of(ids).contains(id)) {
            ranked.add(ModeCandidate.open(id, facts, new FakeMode()));
          } else if (id.equals("soft-dirty")) {
            ranked.add(
                ModeCandidate.unusable(
                    id, facts, "the kernel keeps no bits", "boot one that does"));
          }
        });
    return new MemoryModes(ranked, forced);
  }

  private static MemoryModes all() {
    return modes(null, "full", "incremental", "write-tracking");
  }

  @Test
  void theBestComesFirstAndNeedsNoExcuse() {
    ModeChain chain = all().chain("s1", null, null);
    assertEquals("write-tracking", chain.current());
    assertEquals("what changed", chain.reason("what changed"));
  }

  /** The engine knows no mode by its id, so a third party's is used where it is the best. */
  @Test
  void aThirdPartysModeIsUsedWhereItIsTheBest() {
    MemoryFacts facts = MemoryFacts.of(ANY_MEMORY, SINCE_CAPTURE);
    MemoryModes modes =
        new MemoryModes(
            List.of(
                ModeCandidate.open("theirs", facts, new FakeMode()),
                ModeCandidate.unusable("gone", facts, "no such device", null),
                ModeCandidate.open("full", MemoryFacts.of(ANY_MEMORY), new FakeMode())),
            null);
    for (ModeChain chain :
        List.of(
            modes.chain("s1", null, null), modes.chain(null, null, null), modes.templateChain())) {
      assertEquals("theirs", chain.current());
      chain.rejectCurrent("not this machine", ModeRefusal.Cause.REFUSED, refused, false);
      assertEquals("full", chain.current());
      assertEquals(
          "theirs: not this machine; gone: no such device; full: all", chain.reason("all"));
    }
    ModeChain chain = modes.chain("s1", null, null);
    chain.rejectCurrent("tracking lost", ModeRefusal.Cause.TRACKING_LOST, refused, true);
    assertEquals("full", chain.current(), "no other tracker knows what that one knew");
  }

  /** Manifests name the modes of earlier captures, and their plugins may be gone. */
  @Test
  void whatWasCapturedBeforeMayHaveBeenTracked() {
    MemoryModes modes = all();
    assertTrue(modes.supportsTracking("write-tracking"));
    assertTrue(modes.supportsTracking("soft-dirty"), "it does not work here now, and did before");
    assertFalse(modes.supportsTracking("incremental"));
    assertFalse(modes.supportsTracking("gone"));
    assertFalse(modes.supportsTracking(""));
    assertEquals(
        ModeRefusal.Cause.OTHER_MODE,
        TrackingGap.afterRestart(modes.supportsTracking("gone"), "gone", "s1").cause());
    assertEquals(
        ModeRefusal.Cause.HOST_RESTARTED,
        TrackingGap.afterRestart(modes.supportsTracking("soft-dirty"), "soft-dirty", "s1").cause());
  }

  @Test
  void everyModePassedOverIsInTheReason() {
    ModeChain chain = all().chain("s1", null, null);
    chain.rejectCurrent("cannot be traced", ModeRefusal.Cause.REFUSED, refused, false);
    assertEquals("incremental", chain.current());
    assertEquals(
        "write-tracking: cannot be traced; soft-dirty: the kernel keeps no bits;"
            + " incremental: what changed",
        chain.reason("what changed"));
  }

  @Test
  void aBootedMachineIsCapturedInFullAndTheReasonSaysSo() {
    ModeChain chain = all().chain(null, null, null);
    assertEquals("full", chain.current());
    assertEquals(
        List.of(
            ModeRefusal.Cause.BOOTED, ModeRefusal.Cause.UNUSABLE_HERE, ModeRefusal.Cause.BOOTED),
        chain.passedOver().stream().map(ModeRefusal::cause).toList());
    assertTrue(chain.reason("all").contains("incremental: the machine was booted"));
    assertTrue(chain.reason("all").contains("soft-dirty: the kernel keeps no bits"));
    assertTrue(chain.reason("all").endsWith("; full: all"));
  }

  @Test
  void whatATrackerKnewAndLostIsNotSoughtInAnotherTracker() {
    ModeChain chain =
        modes(null, "full", "incremental", "soft-dirty", "write-tracking").chain("s1", null, null);
    chain.rejectCurrent("tracking lost: remapped", ModeRefusal.Cause.TRACKING_LOST, refused, true);
    assertEquals("incremental", chain.current());
    assertEquals(
        "write-tracking: tracking lost: remapped; incremental: what changed",
        chain.reason("what changed"));
    chain.rejectCurrent("no image", ModeRefusal.Cause.REFUSED, refused, false);
    assertEquals("full", chain.current());
    assertEquals(
        refused,
        assertThrows(
            RametException.class,
            () -> chain.rejectCurrent("no", ModeRefusal.Cause.REFUSED, refused, false)));
  }

  @Test
  void aModeThatCannotGoOnFromThePreviousCaptureIsItsOwnExcuse() {
    TrackingGap gap = new TrackingGap(ModeRefusal.Cause.HOST_RESTARTED, "the host was restarted");
    ModeChain chain = all().chain("s1", null, null);
    chain.recordGap(gap);
    assertEquals("write-tracking", chain.current());
    assertEquals(
        List.of(new ModeRefusal("write-tracking", gap.cause(), gap.detail())), chain.passedOver());
    assertEquals(
        "write-tracking: the host was restarted; write-tracking: what changed",
        chain.reason("what changed"));
    chain.rejectCurrent("cannot be traced", ModeRefusal.Cause.REFUSED, refused, false);
    assertEquals(
        List.of(ModeRefusal.Cause.REFUSED, ModeRefusal.Cause.UNUSABLE_HERE),
        chain.passedOver().stream().map(ModeRefusal::cause).toList());
    chain.recordGap(gap);
    assertEquals(2, chain.passedOver().size(), "incremental never goes on from a capture");
    ModeChain full = modes(null, "full").chain("s1", "full", null);
    full.recordGap(gap);
    assertEquals(List.of(), full.passedOver());
  }

  @Test
  void aForcedModeThatCannotWorkIsAnError() {
    RametException booted =
        assertThrows(
            RametException.class,
            () -> modes("incremental", "incremental").chain(null, null, null));
    assertEquals(ErrorCode.UNSUPPORTED, booted.code());
    assertTrue(String.valueOf(booted.getMessage()).contains("was booted"));
    assertEquals(INSTEAD, booted.remedy());
    RametException unusable =
        assertThrows(
            RametException.class, () -> modes("soft-dirty", "full").chain("s1", null, null));
    assertEquals(ErrorCode.UNSUPPORTED, unusable.code());
    assertTrue(String.valueOf(unusable.getMessage()).contains("keeps no bits"));
    assertEquals("boot one that does; or " + INSTEAD, unusable.remedy());
    assertEquals("full", modes("full", "full").chain(null, null, null).current());
    assertEquals("full", modes("incremental", "full").templateChain().current());
  }

  @Test
  void aForcedModesErrorHasWhatWouldMakeItWork() {
    RametException unfit =
        new RametException(ErrorCode.HOST_UNFIT, "cannot be traced", "give CAP_SYS_PTRACE", null);
    ModeChain chain = modes(null, "write-tracking").chain("s1", "write-tracking", null);
    RametException error =
        assertThrows(
            RametException.class,
            () -> chain.rejectCurrent("cannot be traced", ModeRefusal.Cause.REFUSED, unfit, false));
    assertEquals("give CAP_SYS_PTRACE; or " + INSTEAD, error.remedy());
    assertEquals(unfit, error.getCause());
    ModeChain silent = modes(null, "write-tracking").chain("s1", "write-tracking", null);
    RametException plain =
        assertThrows(
            RametException.class,
            () -> silent.rejectCurrent("remapped", ModeRefusal.Cause.REFUSED, refused, false));
    assertEquals(INSTEAD, plain.remedy());
  }

  @Test
  void whatCouldNeverWorkForASandboxIsRefusedBeforeItBegins() {
    MemoryModes modes = modes(null, "full", "incremental");
    modes.checkForced(null, null);
    modes.checkForced("full", null);
    modes.checkForced("incremental", "s1");
    RametException booted =
        assertThrows(RametException.class, () -> modes.checkForced("incremental", null));
    assertEquals(ErrorCode.UNSUPPORTED, booted.code());
    RametException unusable =
        assertThrows(RametException.class, () -> modes.checkForced("soft-dirty", "s1"));
    assertEquals(ErrorCode.UNSUPPORTED, unusable.code());
  }

  @Test
  void aForcedTrackerMayBeginAnewButOnlyOnce() {
    ModeChain chain = modes("write-tracking", "write-tracking").chain("s1", null, null);
    chain.rejectCurrent(
        "the previous capture is gone", ModeRefusal.Cause.TRACKING_LOST, refused, true);
    assertEquals("write-tracking", chain.current());
    assertTrue(chain.reason("what changed").startsWith("forced by the configuration"));
    assertThrows(
        RametException.class,
        () -> chain.rejectCurrent("not traced", ModeRefusal.Cause.REFUSED, refused, false));
  }

  @Test
  void theCallersWishGoesBeforeTheOperatorsAndMustExist() {
    MemoryModes modes = modes("full", "full", "incremental");
    ModeChain chain = modes.chain("s1", "incremental", null);
    assertEquals("incremental", chain.current());
    assertFalse(chain.reason("x").contains("configuration"));
    ModeChain ofSandbox = modes.chain("s1", null, "incremental");
    assertEquals("incremental", ofSandbox.current());
    assertTrue(ofSandbox.reason("x").startsWith("forced for this sandbox; "));
    assertEquals("full", modes.chain("s1", "full", "incremental").current());
    RametException unknown =
        assertThrows(RametException.class, () -> modes.chain("s1", "telepathy", null));
    assertEquals(ErrorCode.INVALID_ARGUMENT, unknown.code());
  }
}
