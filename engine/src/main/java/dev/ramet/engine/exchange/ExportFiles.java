// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The files of an export. Their names and sizes have been checked; their content is compared with
 * the record whenever it is read. Immutable.
 */
public final class ExportFiles {
  private final Path directory;
  private final Map<String, ExportRecord.Item> items;
  private final Map<String, ExportRecord.Item> composed;

  /**
   * Creates the files of an export.
   *
   * @param composed files that are not in the export but are made from it and its base
   */
  ExportFiles(
      Path directory,
      Map<String, ExportRecord.Item> items,
      Map<String, ExportRecord.Item> composed) {
    this.directory = directory;
    this.items = items;
    this.composed = composed;
  }

  /** Returns the path of a file. */
  public Path path(String name) {
    return directory.resolve(name);
  }

  /** Returns whether the export holds a file. */
  public boolean contains(String name) {
    return items.containsKey(name);
  }

  /** Returns the record of a file that the export holds. */
  public ExportRecord.Item requireItem(String name) {
    ExportRecord.Item item = items.get(name);
    if (item == null) {
      throw invalid(path(ExportRecord.FILE) + " does not name " + name);
    }
    return item;
  }

  /** Returns whether the export holds a file, or produces it together with its base. */
  public boolean produces(String name) {
    return items.containsKey(name) || composed.containsKey(name);
  }

  /** Returns the record of a file that the export holds or produces. */
  public ExportRecord.Item requireProducedItem(String name) {
    ExportRecord.Item item = composed.get(name);
    return item == null ? requireItem(name) : item;
  }

  /** Returns the files of the device state. */
  public List<ExportRecord.Item> devices() {
    return items.values().stream()
        .filter(item -> item.path().startsWith(ExportRecord.DEVICES + "/"))
        .toList();
  }

  /** Returns the number of files, including the export's record. */
  public int count() {
    return items.size() + 1;
  }

  /** Returns the sum of the files' sizes, without that of the export's record. */
  public long sizeBytes() {
    return items.values().stream().mapToLong(ExportRecord.Item::sizeBytes).sum();
  }

  /**
   * Copies a file and compares what was read with the record.
   *
   * @param target an empty file, or a volume of zeros
   * @return how many bytes of it are not zeros
   * @throws RametException {@code CORRUPT} if it does not match the record
   */
  public long copy(ExportRecord.Item item, Fd target, ProgressMeter meter) {
    Path path = path(item.path());
    try (Fd source = Fd.openRead(path)) {
      ImageCopier.Summary content = ImageCopier.read(source, item.sizeBytes(), target, meter);
      requireMatch(item, content);
      return content.dataBytes();
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot copy " + path, directory);
    }
  }

  /**
   * Checks a delta file completely.
   *
   * @param baseBytes the size of the base image
   * @param imageBytes the size of the resulting image
   * @throws RametException {@code CORRUPT} if it does not match the record, {@code
   *     INVALID_ARGUMENT} if it is not a valid delta
   */
  public void checkDelta(
      ExportRecord.Item item, long baseBytes, long imageBytes, ProgressMeter meter) {
    Path path = path(item.path());
    try (Fd source = Fd.openRead(path)) {
      requireMatch(item, ImageCopier.read(source, item.sizeBytes(), null, meter));
      // The file was counted above; this time only its records are checked.
      ProgressMeter unwatched = new ProgressMeter(0, CopyProgress.NONE);
      new DeltaReader(path, source, item.sizeBytes(), unwatched)
          .read(baseBytes, imageBytes, DeltaReader.NOTHING);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot read " + path, directory);
    }
  }

  /**
   * Applies a delta file to a copy of the base. The caller must compare the result with the record.
   *
   * @return how many bytes of it are data
   * @throws RametException {@code INVALID_ARGUMENT} if it is not a valid delta, even if {@link
   *     #checkDelta} accepted it before
   */
  public long apply(
      ExportRecord.Item item,
      long baseBytes,
      long imageBytes,
      DeltaReader.Sink target,
      ProgressMeter meter) {
    Path path = path(item.path());
    try (Fd source = Fd.openRead(path)) {
      return new DeltaReader(path, source, item.sizeBytes(), meter)
          .read(baseBytes, imageBytes, target);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot import " + path, directory);
    }
  }

  /** Returns whether a file has holes that its file system reports. */
  public boolean hasHoles(ExportRecord.Item item) {
    Path path = path(item.path());
    try (Fd source = Fd.openRead(path)) {
      long hole = source.seekHole(0);
      return hole >= 0 && hole < item.sizeBytes();
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "cannot read " + path, directory);
    }
  }

  /**
   * Compares what was read from a file, or made from it, with the record.
   *
   * @throws RametException {@code CORRUPT} if it differs
   */
  public void requireMatch(ExportRecord.Item item, ImageCopier.Summary content) {
    if (!content.sha256().equals(item.sha256())) {
      throw damaged(
          path(item.path()),
          "is damaged: its SHA-256 is " + content.sha256() + ", not " + item.sha256());
    }
  }

  static RametException invalid(String what) {
    return new RametException(ErrorCode.INVALID_ARGUMENT, what);
  }

  static RametException damaged(Path path, String what) {
    return new RametException(
        ErrorCode.CORRUPT, path + " " + what, "copy the whole directory here again", null);
  }
}
