// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.storage;

import dev.ramet.api.operation.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * One line of what {@code POST /storage/export} and {@code POST /storage/import} answer as {@code
 * application/x-ndjson}: exactly one of the three is there, and the last line is a result or an
 * error. Immutable and thread-safe.
 *
 * @param progress how far it is
 * @param result what was exported or imported
 * @param error why it failed; then nothing was changed
 */
public record StorageExchange(
    @Nullable Progress progress, @Nullable Result result, @Nullable ApiError error) {
  /**
   * How far it is.
   *
   * @param doneBytes how much is done
   * @param totalBytes of how much, holes included
   */
  public record Progress(long doneBytes, long totalBytes) {}

  /**
   * What was exported or imported: the whole answer to who does not accept {@code
   * application/x-ndjson}.
   *
   * @param id the id that the snapshot or template has on this host
   * @param name its name, or null
   * @param kind {@code snapshot} or {@code template}
   * @param base id on this host of the snapshot that it builds on, or null when it is whole
   * @param directory the exported directory, on the host
   * @param files how many files are in it
   * @param sizeBytes their sizes
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
      long dataBytes) {
    /** One that is whole. */
    public Result(
        String id,
        @Nullable String name,
        String kind,
        String directory,
        int files,
        long sizeBytes,
        long dataBytes) {
      this(id, name, kind, null, directory, files, sizeBytes, dataBytes);
    }
  }

  /**
   * The body of {@code POST /storage/export}.
   *
   * @param snapshot id or name of a snapshot or template; required
   * @param directory an absolute path on the host that is free; required
   * @param since id or name of another snapshot or template: only what differs from it is written;
   *     null for all
   */
  public record Export(
      @Nullable String snapshot, @Nullable String directory, @Nullable String since) {
    /** A whole export. */
    public Export(@Nullable String snapshot, @Nullable String directory) {
      this(snapshot, directory, null);
    }
  }

  /**
   * The body of {@code POST /storage/import}.
   *
   * @param directory an absolute path on the host; required
   * @param name a new name, {@code [A-Za-z0-9._-]{1,64}}, or such a name and a tag of the same form
   *     with a colon between them; null for the name and tags it had
   */
  public record Import(@Nullable String directory, @Nullable String name) {}
}
