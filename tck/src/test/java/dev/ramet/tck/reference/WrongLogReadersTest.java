// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.WriteLog;
import dev.ramet.spi.storage.WriteLog.Written;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import dev.ramet.tck.storage.StorageHarness;
import dev.ramet.tck.storage.World;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that the kit detects faults of backends that keep a copy and ask a log what it lacks. */
class WrongLogReadersTest {
  /** A disk that counts writes when they begin, as modification times do. */
  private static final class CountingDisk extends ReferenceDisk {
    long begun;

    @Override
    synchronized void write(Image image, long offset, byte[] bytes) throws Refused {
      begun++;
      super.write(image, offset, bytes);
    }

    @Override
    synchronized void discard(Image image, long offset, long length) {
      begun++;
      super.discard(image, offset, length);
    }
  }

  /** A backend that keeps copies. */
  private abstract static class Keeping extends ReferenceBackend {
    final Map<NodeId, NavigableMap<Long, byte[]>> ahead = new HashMap<>();
    private long mark = WriteLog.NO_MARK;

    Keeping(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      super(root, disk, steps);
    }

    /** Brings a copy up to date. */
    abstract void update(NodeId source, NavigableMap<Long, byte[]> copy, WriteLog log);

    @Override
    public void prepare(NodeId source, double share, WriteLog log) {
      synchronized (disk) {
        update(source, ahead.computeIfAbsent(source, id -> new TreeMap<>()), log);
      }
    }

    @Override
    public void discard(NodeId source) {
      super.discard(source);
      ahead.remove(source);
    }

    @Override
    public Node snapshot(NodeId volume, NodeId id, Durability durability, WriteLog log) {
      synchronized (disk) {
        NavigableMap<Long, byte[]> copy = ahead.get(volume);
        if (copy != null) {
          update(volume, copy, log);
        }
        Node made = snapshot(volume, id, durability);
        if (ahead.remove(volume) != null) {
          NavigableMap<Long, byte[]> pages = pages(id);
          pages.clear();
          pages.putAll(Objects.requireNonNull(copy));
        }
        return made;
      }
    }

    NavigableMap<Long, byte[]> pages(NodeId id) {
      return Objects.requireNonNull(disk.images.get(id.value())).pages;
    }

    void copyAll(NodeId source, NavigableMap<Long, byte[]> copy) {
      copy.clear();
      copy.putAll(pages(source));
    }

    void copyTold(NodeId source, NavigableMap<Long, byte[]> copy, Written written) {
      for (WriteLog.Range range : written.ranges()) {
        long from = range.offset() / World.PAGE;
        long to = (range.offset() + range.lengthBytes()) / World.PAGE + 1;
        copy.subMap(from, to).clear();
        copy.putAll(pages(source).subMap(from, to));
      }
    }

    /** Copies what was written since the last time, or everything if the log does not know. */
    void ask(NodeId source, NavigableMap<Long, byte[]> copy, WriteLog log) {
      Written written = told(log);
      if (written.isAllSince(mark) && !copy.isEmpty()) {
        copyTold(source, copy, written);
      } else {
        copyAll(source, copy);
      }
      mark = written.until();
    }

    static Written told(WriteLog log) {
      try {
        return log.take();
      } catch (RametException e) {
        return Written.unknownUntil(1);
      }
    }
  }

  /** The kit as run by the author of such a backend. */
  abstract static class Reader extends StorageBackendTck {
    abstract StorageBackend backend(Path root, CountingDisk counted, StepControl.Observer steps);

    @Override
    protected StorageHarness harness(Path scratch) {
      CountingDisk disk = new CountingDisk();
      return new ReferenceHarness(scratch, disk) {
        @Override
        public StorageBackend open(StepControl.Observer observer) {
          return backend(scratch, disk, observer);
        }

        @Override
        public UnderWay begin(Attachment node, long offset, byte[] bytes) {
          disk.begun++;
          return () -> {
            long before = disk.begun;
            io().write(node, offset, bytes);
            disk.begun = before;
          };
        }
      };
    }
  }

  private static void expect(Class<? extends Reader> wrong, String check, String message) {
    Failures.expect(wrong, StorageBackendTck.WriteLogs.class, check, message);
  }

  @Test
  void oneThatIsRightPasses() {
    Failures.none(AsksAgain.class, StorageBackendTck.WriteLogs.class);
  }

  static class AsksAgain extends Reader {
    @Override
    StorageBackend backend(Path root, CountingDisk counted, StepControl.Observer steps) {
      return new Keeping(root, counted, steps) {
        @Override
        void update(NodeId source, NavigableMap<Long, byte[]> copy, WriteLog log) {
          ask(source, copy, log);
        }
      };
    }
  }

  @Test
  void aLogThatIsBelievedTooMuch() {
    expect(
        BelievesEveryAnswer.class,
        "aSnapshotIsTheVolumeAtItsInstant",
        "all that was written since the mark at which it begins");
  }

  /** Takes every answer for everything that was written since. */
  static class BelievesEveryAnswer extends Reader {
    @Override
    StorageBackend backend(Path root, CountingDisk counted, StepControl.Observer steps) {
      return new Keeping(root, counted, steps) {
        @Override
        void update(NodeId source, NavigableMap<Long, byte[]> copy, WriteLog log) {
          Written written = told(log);
          if (copy.isEmpty()) {
            copyAll(source, copy);
          } else {
            copyTold(source, copy, written);
          }
        }
      };
    }
  }

  @Test
  void aTimeOfModificationThatIsBelievedTooMuch() {
    expect(
        BelievesTheTime.class,
        "aWriteThatIsUnderWay",
        "what a time of modification tells is that no write began");
  }

  /** Takes a volume for unchanged if its modification time is. */
  static class BelievesTheTime extends Reader {
    @Override
    StorageBackend backend(Path root, CountingDisk counted, StepControl.Observer steps) {
      return new Keeping(root, counted, steps) {
        private long equalAt = -1;

        @Override
        void update(NodeId source, NavigableMap<Long, byte[]> copy, WriteLog log) {
          if (counted.begun == equalAt && !copy.isEmpty()) {
            return;
          }
          ask(source, copy, log);
          equalAt = counted.begun;
        }
      };
    }
  }
}
