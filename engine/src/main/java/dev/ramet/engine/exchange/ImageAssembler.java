// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.root.OpenRoot;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.state.ImageContent;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.CopyOnWriteExtent;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Makes images from an increment and its base. If the storage's forks share blocks, the images
 * share theirs with the base. Thread-safe.
 */
public final class ImageAssembler {
  private static final System.Logger LOG = System.getLogger(ImageAssembler.class.getName());

  private static final Set<OpenFlag> WRITE =
      Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW);

  /** Size alignment every backend accepts. */
  private static final int BLOCK = 4096;

  private final StorageBackend storage;
  private final Path root;
  private final StepObserver steps;
  private final List<OpenRoot> places;

  public ImageAssembler(
      StorageBackend storage, Path root, List<OpenRoot> places, StepObserver steps) {
    this.storage = storage;
    this.root = root;
    this.places = List.copyOf(places);
    this.steps = steps;
  }

  /** Checks the delta files of an increment. */
  static void check(ExportDirectory export, Increment increment, ProgressMeter meter) {
    ExportFiles files = export.files();
    for (String image : List.of(ExportRecord.DISK, ExportRecord.MEMORY)) {
      String delta = Increment.delta(image);
      if (files.contains(delta)) {
        long baseBytes = increment.baseImage(image).sizeBytes();
        files.checkDelta(
            files.requireItem(delta),
            baseBytes,
            files.requireProducedItem(image).sizeBytes(),
            meter);
      }
    }
  }

  /**
   * Makes a volume, and compares what is then stored in the root with the record.
   *
   * @param image the image's name in the export
   * @param base the image to begin with, kept by the caller
   * @param id the volume's name
   * @return how much data the increment holds
   * @throws RametException {@code CORRUPT} if the result does not match the record
   */
  long make(
      ExportDirectory export,
      Increment increment,
      String image,
      NodeId base,
      NodeId id,
      ProgressMeter meter) {
    ExportFiles files = export.files();
    ImageContent.Image from = increment.baseImage(image);
    long sizeBytes = files.requireProducedItem(image).sizeBytes();
    StorageBackend backend = SplitStorage.backendOf(storage, id);
    boolean fork = from.sizeBytes() == sizeBytes && sharesForks(backend);
    if (fork) {
      backend.fork(base, id, Durability.RELAXED);
      meter.add(2 * sizeBytes);
    } else {
      long blocks = (sizeBytes + BLOCK - 1) / BLOCK;
      backend.create(id, blocks * BLOCK);
    }
    Path made = backend.attach(id).path();
    try (Fd to = Fd.open(made, WRITE, 0)) {
      if (!fork) {
        copy(backend.attach(base).path(), Math.min(from.sizeBytes(), sizeBytes), to, meter);
      }
      limitReserve(to);
      steps.before("import.apply");
      String delta = Increment.delta(image);
      long data =
          files.apply(
              files.requireItem(delta), from.sizeBytes(), sizeBytes, new Volume(made, to), meter);
      steps.before("import.verify");
      String wanted = files.requireProducedItem(image).sha256();
      verify(export, image, made, BlockDigest.of(wanted, to, sizeBytes, meter));
      return data;
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot write " + made, root);
    }
  }

  private boolean sharesForks(StorageBackend backend) {
    return places.stream()
        .anyMatch(place -> place.storage() == backend && place.root().copyOnWrite());
  }

  /**
   * Copies the base's bytes. Used where a fork would copy everything anyway, because this copy
   * reports its progress and can be cancelled.
   */
  private static void copy(Path base, long bytes, Fd to, ProgressMeter meter)
      throws LinuxException {
    try (Fd from = Fd.openRead(base)) {
      ImageCopier.copy(from, bytes, to, meter);
    }
  }

  /**
   * Limits the extents reserved for writes: each page is written once, in ascending order, so a
   * larger reserve would waste space.
   */
  private static void limitReserve(Fd file) {
    try {
      CopyOnWriteExtent.set(file, BLOCK);
    } catch (LinuxException e) {
      LOG.log(System.Logger.Level.DEBUG, "no limit on the reserve: {0}", e.getMessage());
    }
  }

  private static void verify(ExportDirectory export, String image, Path made, String found) {
    ExportRecord.Item wanted = export.files().requireProducedItem(image);
    if (!found.equals(wanted.sha256())) {
      throw new RametException(
          ErrorCode.CORRUPT,
          "the image made from "
              + export.files().path(Increment.delta(image))
              + " and its base is not the "
              + image
              + " that the export describes: "
              + made
              + " has the SHA-256 "
              + found
              + ", not "
              + wanted.sha256(),
          "the base here may be corrupt: delete it, import it again, then import this increment",
          null);
    }
  }

  /** A volume that is being changed into the image. Used by one thread. */
  private final class Volume implements DeltaReader.Sink {
    private static final int ZEROS_BYTES = 1 << 20;

    private final Path path;
    private final Fd file;
    private final ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS_BYTES);
    private boolean canPunch = true;

    Volume(Path path, Fd file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public void data(ByteBuffer bytes, long offset) {
      try {
        file.pwrite(bytes, offset);
      } catch (LinuxException e) {
        throw failed(e);
      }
    }

    @Override
    public void zeros(long offset, long length) {
      try {
        if (canPunch && punched(offset, length)) {
          return;
        }
        for (long done = 0; done < length; done += ZEROS_BYTES) {
          zeros.clear().limit((int) Math.min(ZEROS_BYTES, length - done));
          file.pwrite(zeros, offset + done);
        }
      } catch (LinuxException e) {
        throw failed(e);
      }
    }

    private boolean punched(long offset, long length) throws LinuxException {
      try {
        file.punchHole(offset, length);
        return true;
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.EOPNOTSUPP) {
          throw e;
        }
        // Some devices and file systems have no holes: write zeros instead.
        canPunch = false;
        return false;
      }
    }

    private RametException failed(LinuxException e) {
      return HostErrors.translate(e, "cannot write " + path, root);
    }
  }
}
