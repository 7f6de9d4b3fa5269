// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.CopyProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The files of an export: their names and sizes have been looked at, their content is compared with
 * the record whenever it is read. Immutable.
 */
public final class ExportFiles {
  private final Path directory;
  private final Map<String, ExportRecord.Item> items;
  private final Map<String, ExportRecord.Item> composed;

  /**
   * The files of an export.
   *
   * @param composed what is not there but comes of them and of what they build on
   */
  ExportFiles(
      Path directory,
      Map<String, ExportRecord.Item> items,
      Map<String, ExportRecord.Item> composed) {
    this.directory = directory;
    this.items = items;
    this.composed = composed;
  }

  /** Where a file is. */
  public Path path(String name) {
    return directory.resolve(name);
  }

  /** Whether a file is there. */
  public boolean has(String name) {
    return items.containsKey(name);
  }

  /** A file. */
  public ExportRecord.Item item(String name) {
    ExportRecord.Item item = items.get(name);
    if (item == null) {
      throw invalid(path(ExportRecord.FILE) + " does not name " + name);
    }
    return item;
  }

  /** Whether this is there, or comes of what is there. */
  public boolean makes(String name) {
    return items.containsKey(name) || composed.containsKey(name);
  }

  /** What is there, or comes of what is there. */
  public ExportRecord.Item made(String name) {
    ExportRecord.Item item = composed.get(name);
    return item == null ? item(name) : item;
  }

  /** The files of the device state. */
  public List<ExportRecord.Item> devices() {
    return items.values().stream()
        .filter(item -> item.path().startsWith(ExportRecord.DEVICES + "/"))
        .toList();
  }

  /** How many there are, the record itself included. */
  public int count() {
    return items.size() + 1;
  }

  /** The sum of their sizes, but for the record's. */
  public long sizeBytes() {
    return items.values().stream().mapToLong(ExportRecord.Item::sizeBytes).sum();
  }

  /**
   * Copies a file out and compares what was read with the record.
   *
   * @param target an empty file, or a volume of zeros
   * @return how much of it is not zeros
   * @throws RametException {@code CORRUPT} when it is not what the record says
   */
  public long copy(ExportRecord.Item item, Fd target, Meter meter) {
    Path path = path(item.path());
    try (Fd source = Fd.openRead(path)) {
      Content.Summary content = Content.read(source, item.sizeBytes(), target, meter);
      check(item, content);
      return content.dataBytes();
    } catch (LinuxException e) {
      throw HostFailures.of(e, "cannot copy " + path, directory);
    }
  }

  /**
   * Looks at a file of what an image has otherwise, from its start to its end.
   *
   * @param baseBytes the size of what it builds on
   * @param imageBytes the size of what comes of it
   * @throws RametException {@code CORRUPT} when it is not what the record says, {@code
   *     INVALID_ARGUMENT} when it makes no sense
   */
  public void checkDelta(ExportRecord.Item item, long baseBytes, long imageBytes, Meter meter) {
    Path path = path(item.path());
    try (Fd source = Fd.openRead(path)) {
      check(item, Content.read(source, item.sizeBytes(), null, meter));
      // It is counted once; this time only its records are looked at.
      Meter unwatched = new Meter(0, CopyProgress.NONE);
      new Delta(path, source, item.sizeBytes(), unwatched)
          .read(baseBytes, imageBytes, Delta.NOTHING);
    } catch (LinuxException e) {
      throw HostFailures.of(e, "cannot read " + path, directory);
    }
  }

  /**
   * Makes of the base's content what the file says. What has come of it is for the caller to
   * compare with the record.
   *
   * @return how much of it is data
   * @throws RametException {@code INVALID_ARGUMENT} when it makes no sense, whatever {@link
   *     #checkDelta} found
   */
  public long apply(
      ExportRecord.Item item, long baseBytes, long imageBytes, Delta.Target target, Meter meter) {
    Path path = path(item.path());
    try (Fd source = Fd.openRead(path)) {
      return new Delta(path, source, item.sizeBytes(), meter).read(baseBytes, imageBytes, target);
    } catch (LinuxException e) {
      throw HostFailures.of(e, "cannot import " + path, directory);
    }
  }

  /** Whether a file has holes that its file system tells. */
  public boolean hasHoles(ExportRecord.Item item) {
    Path path = path(item.path());
    try (Fd source = Fd.openRead(path)) {
      long hole = source.seekHole(0);
      return hole >= 0 && hole < item.sizeBytes();
    } catch (LinuxException e) {
      throw HostFailures.of(e, "cannot read " + path, directory);
    }
  }

  /**
   * Compares what was read of a file, or of what was made of it, with the record.
   *
   * @throws RametException {@code CORRUPT} when it is not the same
   */
  public void check(ExportRecord.Item item, Content.Summary content) {
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
        ErrorCode.CORRUPT, path + " " + what, "bring the whole directory here again", null);
  }
}
