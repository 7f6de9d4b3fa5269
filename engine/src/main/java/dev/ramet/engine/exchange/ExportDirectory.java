// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.state.ImageContent;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A validated export directory. It may come from anywhere, so nothing in it is trusted before it is
 * checked.
 *
 * @param directory its path, without symbolic links
 * @param files its files
 * @param snapshot its manifest: the snapshot as it was where it was exported
 * @param increment its base, or null for a whole export
 */
public record ExportDirectory(
    Path directory, ExportFiles files, SnapshotRecord snapshot, @Nullable Increment increment) {
  private static final Pattern DEVICE =
      Pattern.compile(ExportRecord.DEVICES + "/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}");
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final Set<String> LARGE =
      Set.of(
          ExportRecord.DISK,
          ExportRecord.MEMORY,
          ExportRecord.DISK_DELTA,
          ExportRecord.MEMORY_DELTA);
  private static final Set<String> NAMES =
      Set.of(
          ExportRecord.MANIFEST,
          ExportRecord.DISK,
          ExportRecord.MEMORY,
          ExportRecord.KERNEL,
          ExportRecord.INITRD);
  private static final List<String> NEEDED =
      List.of(ExportRecord.MANIFEST, ExportRecord.DISK, ExportRecord.KERNEL);

  /** Limit for the small files, far above any that an export writes. */
  private static final long MAX_SMALL_BYTES = 1L << 30;

  private static final long MAX_MANIFEST_BYTES = 16L << 20;

  /**
   * Opens a directory and checks everything but the content of its larger files.
   *
   * @throws RametException {@code NOT_FOUND} if it does not exist, {@code INVALID_ARGUMENT} if it
   *     is not an export or holds something that no export has, {@code UNSUPPORTED} if a newer
   *     version made it, {@code CORRUPT} if something is missing or does not match its record
   */
  public static ExportDirectory open(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw RametException.notFound("directory", directory.toString());
    }
    try {
      Path real = directory.toRealPath();
      ExportRecord record = readRecord(real);
      refuseLinks(real);
      boolean whole = record.format() == ExportRecord.FORMAT;
      Map<String, ExportRecord.Item> items =
          readItems(real, record.files(), whole ? NAMES : Increment.NAMES, true);
      Increment increment = whole ? null : increment(real, record, items);
      ExportFiles files =
          new ExportFiles(real, items, increment == null ? Map.of() : increment.composed());
      require(files, whole ? NEEDED : Increment.NEEDED);
      for (ExportRecord.Item item : items.values()) {
        checkSize(real.resolve(item.path()), item);
      }
      SnapshotRecord snapshot = readManifest(files);
      new ManifestCheck(files, snapshot).run();
      return new ExportDirectory(real, files, snapshot, increment);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot read " + directory + ": " + e,
          "let the host's user read there",
          e);
    }
  }

  private static Increment increment(
      Path directory, ExportRecord record, Map<String, ExportRecord.Item> files) {
    List<ExportRecord.Item> composed = record.composed();
    return Increment.parse(
        directory.resolve(ExportRecord.FILE),
        record.base(),
        files,
        readItems(directory, composed == null ? List.of() : composed, Increment.COMPOSED, false));
  }

  /** Returns the content of the images that the export produces. */
  public ImageContent content() {
    boolean warm = files.produces(ExportRecord.MEMORY);
    return new ImageContent(
        imageContent(ExportRecord.DISK), warm ? imageContent(ExportRecord.MEMORY) : null);
  }

  private ImageContent.Image imageContent(String name) {
    ExportRecord.Item item = files.requireProducedItem(name);
    return new ImageContent.Image(item.sizeBytes(), item.sha256());
  }

  /** Returns whether a path in an export can be that of a device state file. */
  public static boolean isDevice(String path) {
    return DEVICE.matcher(path).matches();
  }

  /**
   * Refuses symbolic links at both levels: an export has regular files and one directory of them.
   */
  private static void refuseLinks(Path directory) throws IOException {
    for (Path path : FileTrees.children(directory)) {
      if (Files.isSymbolicLink(path)) {
        throw ExportFiles.invalid(path + " is a symbolic link, which an export never contains");
      }
    }
    Path devices = directory.resolve(ExportRecord.DEVICES);
    if (Files.isDirectory(devices)) {
      for (Path path : FileTrees.children(devices)) {
        requireRegular(path);
      }
    }
  }

  private static void requireRegular(Path path) {
    if (Files.isSymbolicLink(path)) {
      throw ExportFiles.invalid(path + " is a symbolic link, which an export never contains");
    }
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw ExportFiles.invalid(path + " is not a regular file");
    }
  }

  private static ExportRecord readRecord(Path directory) {
    Path file = directory.resolve(ExportRecord.FILE);
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          directory + " is not an exported snapshot: it has no " + ExportRecord.FILE,
          "give a directory that ramet storage export made",
          null);
    }
    requireRegular(file);
    ExportRecord record;
    try {
      record = JsonFile.read(file, ExportRecord.class);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, file + " is not the record of an export: " + firstLine(e), e);
    }
    if (record.format() > ExportRecord.INCREMENT) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          file + " has format " + record.format() + ", which this version does not know",
          "import it with a newer version of Ramet",
          null);
    }
    if (record.format() < ExportRecord.FORMAT || record.files() == null) {
      throw ExportFiles.invalid(
          file + " is not the record of an export: it lacks a format or the files");
    }
    return record;
  }

  /** Returns the first line: Jackson adds the position on further ones. */
  private static String firstLine(IOException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static Map<String, ExportRecord.Item> readItems(
      Path directory, List<ExportRecord.Item> items, Set<String> names, boolean devices) {
    Path file = directory.resolve(ExportRecord.FILE);
    Map<String, ExportRecord.Item> found = new TreeMap<>();
    for (ExportRecord.@Nullable Item item : items) {
      String path = item == null ? null : item.path();
      if (item == null || path == null) {
        throw ExportFiles.invalid(file + " names a file without a path");
      }
      if (!names.contains(path) && !(devices && isDevice(path))) {
        throw ExportFiles.invalid(file + " names a file that an export never contains: " + path);
      }
      Pattern digest = !devices && LARGE.contains(path) ? Increment.SHA256 : SHA256;
      if (item.sha256() == null || !digest.matcher(item.sha256()).matches()) {
        throw ExportFiles.invalid(file + " has no SHA-256 of " + path);
      }
      if (found.put(path, item) != null) {
        throw ExportFiles.invalid(file + " names " + path + " twice");
      }
    }
    return found;
  }

  private static void require(ExportFiles files, List<String> names) {
    names.forEach(files::requireItem);
    files.requireProducedItem(ExportRecord.DISK);
    files.requireProducedItem(ExportRecord.KERNEL);
  }

  private static void checkSize(Path path, ExportRecord.Item item) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      throw ExportFiles.damaged(path, "is missing");
    }
    requireRegular(path);
    long size = item.sizeBytes();
    if (Files.size(path) != size) {
      throw ExportFiles.damaged(path, "has " + Files.size(path) + " bytes, not " + size);
    }
    if (size < 1 || (!LARGE.contains(item.path()) && size > MAX_SMALL_BYTES)) {
      throw ExportFiles.invalid(path + " cannot have " + size + " bytes");
    }
  }

  private static SnapshotRecord readManifest(ExportFiles files) throws IOException {
    ExportRecord.Item item = files.requireItem(ExportRecord.MANIFEST);
    Path path = files.path(item.path());
    if (item.sizeBytes() > MAX_MANIFEST_BYTES) {
      throw ExportFiles.invalid(path + " is too large to be a manifest");
    }
    byte[] bytes = Files.readAllBytes(path);
    String digest = HexFormat.of().formatHex(ImageCopier.sha256().digest(bytes));
    files.requireMatch(item, new ImageCopier.Summary(digest, bytes.length));
    try {
      return JsonFile.read(path, bytes, SnapshotRecord.class);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, path + " is not a manifest: " + firstLine(e), e);
    }
  }
}
