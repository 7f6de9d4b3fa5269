// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Disk;
import dev.ramet.spi.hypervisor.DiskWriteLog;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.WriteLog.Range;
import dev.ramet.spi.storage.WriteLog.Written;
import dev.ramet.tck.HypervisorTck;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects machines that report their guests' writes wrongly. */
class WrongWriteLogsTest {
  private static final String CHECK = "diskWritesAreTold";
  private static final AtomicLong MARKS = new AtomicLong();

  /** A machine that records writes, and reports them as the test's driver decides. */
  static final class Logging extends ReferenceVm implements DiskWriteLog {
    final List<Range> noted = new ArrayList<>();
    final WithLog author;
    long mark;

    Logging(
        ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process, WithLog author) {
      super(driver, spec, process);
      this.author = author;
      this.mark = author.first();
    }

    @Override
    public Written takeWrites(int disk) {
      return author.answer(this, disk);
    }
  }

  /** Drivers of such machines, with one disk each. Unchanged, it keeps the contract. */
  abstract static class WithLog extends WrongDriver.OfMachines {
    @Override
    Set<HypervisorFeature> stated() {
      return Set.of(HypervisorFeature.DISK_WRITE_LOG);
    }

    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new Logging(driver, spec, process, this);
    }

    /** Returns the mark of a new machine. */
    long first() {
      return WriteLog.NO_MARK;
    }

    /** A guest writes. */
    void note(Logging vm, Range range) {
      vm.noted.add(range);
    }

    Written answer(Logging vm, int disk) {
      if (disk != 0) {
        throw RametException.invalid("disk", "there is no disk " + disk);
      }
      long since = vm.mark;
      vm.mark = MARKS.incrementAndGet();
      List<Range> ranges = List.copyOf(vm.noted);
      vm.noted.clear();
      return since == WriteLog.NO_MARK
          ? Written.unknownUntil(vm.mark)
          : new Written(since, vm.mark, ranges);
    }

    boolean writes() {
      return true;
    }

    @Override
    protected HypervisorHarness harness(Path scratch) {
      return new Harness(scratch) {
        @Override
        public VmSpec spec(String name, Path directory) throws IOException {
          VmSpec plain = super.spec(name, directory);
          Path disk = scratch.resolve("disk");
          if (!Files.exists(disk)) {
            Files.write(disk, new byte[1 << 20]);
          }
          return plain.with(List.of(new Disk("disk0", new Attachment.LocalFile(disk, false))));
        }

        @Override
        public boolean writeDisk(RunningVm vm, long offset, int lengthBytes) {
          if (vm instanceof Logging logging) {
            note(logging, new Range(offset, lengthBytes));
          }
          return writes();
        }
      };
    }
  }

  private static void expect(Class<?> wrong, String message) {
    Failures.expect(wrong, HypervisorTck.Capabilities.class, CHECK, message);
  }

  @Test
  void oneThatIsRightPasses() {
    Failures.none(Right.class, HypervisorTck.Capabilities.class);
  }

  static class Right extends WithLog {}

  @Test
  void moreOrLessIsStatedThanIsThere() {
    String message = "machines are DiskWriteLog if and only if the probe states 'disk-write-log'";
    expect(StatesTooMuch.class, message);
    expect(StatesTooLittle.class, message);
  }

  static class StatesTooMuch extends WithLog {
    @Override
    ReferenceVm machine(ReferenceHypervisor driver, VmSpec spec, ReferenceMachines.Guest process) {
      return new ReferenceVm(driver, spec, process);
    }
  }

  static class StatesTooLittle extends WithLog {
    @Override
    Set<HypervisorFeature> stated() {
      return Set.of();
    }
  }

  @Test
  void aHarnessThatCannotWrite() {
    expect(NobodyWrites.class, "must let guests write");
  }

  static class NobodyWrites extends WithLog {
    @Override
    boolean writes() {
      return false;
    }
  }

  @Test
  void anyDiskWillDo() {
    expect(TakesAnyDisk.class, "Expected dev.ramet.errors.RametException");
  }

  static class TakesAnyDisk extends WithLog {
    @Override
    Written answer(Logging vm, int disk) {
      return super.answer(vm, 0);
    }
  }

  @Test
  void aLogThatClaimsToKnowFromTheBeginning() {
    expect(KnowsAll.class, "nothing is known before the first answer");
  }

  static class KnowsAll extends WithLog {
    @Override
    long first() {
      return MARKS.incrementAndGet();
    }
  }

  @Test
  void answersThatDoNotFollowOneAnother() {
    expect(LosesTheMark.class, "an answer begins at the mark of the one before");
  }

  static class LosesTheMark extends WithLog {
    @Override
    Written answer(Logging vm, int disk) {
      vm.mark = vm.mark == WriteLog.NO_MARK ? vm.mark : MARKS.incrementAndGet();
      return super.answer(vm, disk);
    }
  }

  @Test
  void aWriteThatIsForgotten() {
    expect(ForgetsOne.class, "what is written is told");
  }

  static class ForgetsOne extends WithLog {
    @Override
    void note(Logging vm, Range range) {
      vm.noted.clear();
      super.note(vm, range);
    }
  }

  @Test
  void aWriteThatIsToldTwice() {
    expect(TellsTwice.class, "what was told is not told again");
  }

  static class TellsTwice extends WithLog {
    @Override
    Written answer(Logging vm, int disk) {
      List<Range> kept = List.copyOf(vm.noted);
      Written written = super.answer(vm, disk);
      vm.noted.addAll(kept);
      return written;
    }
  }

  @Test
  void everythingIsToldAlways() {
    expect(TellsAll.class, "is not told");
  }

  static class TellsAll extends WithLog {
    @Override
    Written answer(Logging vm, int disk) {
      vm.noted.clear();
      vm.noted.add(new Range(0, 1 << 20));
      return super.answer(vm, disk);
    }
  }
}
