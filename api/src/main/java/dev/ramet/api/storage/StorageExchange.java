// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.storage;

import dev.ramet.api.operation.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * One line of the {@code application/x-ndjson} response of {@code POST /storage/export} and {@code
 * POST /storage/import}: exactly one of the three components is set, and the last line is a result
 * or an error. Immutable and thread-safe.
 *
 * @param progress the progress so far
 * @param result what was exported or imported
 * @param error why it failed; nothing was changed then
 */
public record StorageExchange(
    @Nullable Progress progress, @Nullable Result result, @Nullable ApiError error) {
  /**
   * The progress so far.
   *
   * @param doneBytes bytes done
   * @param totalBytes bytes in total, holes included
   */
  public record Progress(long doneBytes, long totalBytes) {}

  /**
   * The result of an export or import. It is the whole response for clients that do not accept
   * {@code application/x-ndjson}.
   *
   * @param id id of the snapshot or template on this host
   * @param name its name, or null
   * @param kind {@code snapshot} or {@code template}
   * @param base id on this host of its base snapshot, or null when the export is complete in itself
   * @param directory the exported directory, on the host
   * @param files number of files in it
   * @param sizeBytes total size of the files
   * @param dataBytes how much of that is not holes
   */
  public record Result(
      String id,
      @Nullable String name,
      String kind,
      @Nullable String base,
      String directory,
      int files,
      long sizeBytes,
      long dataBytes) {}

  /**
   * The body of {@code POST /storage/export}.
   *
   * @param snapshot id or name of a snapshot or template; required
   * @param directory an absolute path on the host that does not exist yet; required
   * @param since id or name of the base snapshot or template: only differences from it are written;
   *     null to export everything
   */
  public record Export(
      @Nullable String snapshot, @Nullable String directory, @Nullable String since) {
    /** Creates a request for a full export. */
    public Export(@Nullable String snapshot, @Nullable String directory) {
      this(snapshot, directory, null);
    }
  }

  /**
   * The body of {@code POST /storage/import}.
   *
   * @param directory an absolute path on the host; required
   * @param name a new name, {@code [A-Za-z0-9._-]{1,64}}, optionally followed by a colon and a tag
   *     of the same form; null for the exported name and tags
   */
  public record Import(@Nullable String directory, @Nullable String name) {}
}
