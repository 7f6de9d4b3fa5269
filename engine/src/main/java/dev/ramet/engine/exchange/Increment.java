// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.engine.state.ImageContent;
import dev.ramet.engine.support.Ids;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The validated record of an increment: what it builds on and what it produces. Immutable.
 *
 * @param base its base
 * @param composed the files that increment and base produce, by name
 */
public record Increment(ExportRecord.Base base, Map<String, ExportRecord.Item> composed) {
  static final Set<String> NAMES =
      Set.of(
          ExportRecord.MANIFEST,
          ExportRecord.KERNEL,
          ExportRecord.INITRD,
          ExportRecord.MEMORY,
          ExportRecord.DISK_DELTA,
          ExportRecord.MEMORY_DELTA);

  static final List<String> NEEDED = List.of(ExportRecord.MANIFEST, ExportRecord.DISK_DELTA);

  static final Set<String> COMPOSED =
      Set.of(ExportRecord.DISK, ExportRecord.MEMORY, ExportRecord.KERNEL, ExportRecord.INITRD);

  static final Pattern SHA256 = Pattern.compile("(" + BlockDigest.PREFIX + ")?[0-9a-f]{64}");

  /** Limit far above any image, so that sums of sizes cannot overflow. */
  private static final long MAX_BYTES = 1L << 56;

  /**
   * Validates the record of an increment.
   *
   * @param file the record's path
   * @param files the files in the directory
   * @param composed the files to produce, with names already checked
   */
  static Increment parse(
      Path file,
      ExportRecord.@Nullable Base base,
      Map<String, ExportRecord.Item> files,
      Map<String, ExportRecord.Item> composed) {
    String id = base == null ? null : base.id();
    ImageContent content = base == null ? null : base.content();
    if (base == null || id == null || content == null || !Ids.isId(id)) {
      throw ExportFiles.invalid(file + " does not say what it builds on");
    }
    if (base.name() != null && !ManifestCheck.isName(base.name())) {
      throw ExportFiles.invalid(file + " names its base in an invalid way");
    }
    ImageContent.Image memory = content.memory();
    boolean delta = files.containsKey(ExportRecord.MEMORY_DELTA);
    if (!isImage(content.disk()) || (memory == null ? delta : !isImage(memory))) {
      throw ExportFiles.invalid(file + " does not say what its base holds");
    }
    if (delta != composed.containsKey(ExportRecord.MEMORY)) {
      throw ExportFiles.invalid(
          file + " does not say what image results from " + ExportRecord.MEMORY_DELTA);
    }
    for (ExportRecord.Item item : composed.values()) {
      if (files.containsKey(item.path())) {
        throw ExportFiles.invalid(file + " names " + item.path() + " twice");
      }
      if (item.sizeBytes() < 1 || item.sizeBytes() > MAX_BYTES) {
        throw ExportFiles.invalid(
            file + ": " + item.path() + " cannot have " + item.sizeBytes() + " bytes");
      }
    }
    return new Increment(base, Map.copyOf(composed));
  }

  private static boolean isImage(ImageContent.@Nullable Image image) {
    return image != null
        && image.sizeBytes() > 0
        && image.sizeBytes() <= MAX_BYTES
        && image.sha256() != null
        && SHA256.matcher(image.sha256()).matches();
  }

  /** Returns the name of an image's delta file. */
  public static String delta(String image) {
    return image.equals(ExportRecord.DISK) ? ExportRecord.DISK_DELTA : ExportRecord.MEMORY_DELTA;
  }

  /** Returns the content of the base's image with this name. */
  public ImageContent.Image baseImage(String image) {
    ImageContent content = base.content();
    ImageContent.Image memory = content.memory();
    return image.equals(ExportRecord.DISK) || memory == null ? content.disk() : memory;
  }

  /** Returns the sum of the sizes of the files to produce. */
  public long sizeBytes() {
    return composed.values().stream().mapToLong(ExportRecord.Item::sizeBytes).sum();
  }
}
