// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads and validates the manifests of sandboxes and snapshots. */
public final class Manifests {
  private Manifests() {}

  /**
   * Reads the manifest in a sandbox's directory.
   *
   * @throws IOException with a message for people when it is invalid
   */
  public static SandboxRecord sandbox(Path directory) throws IOException {
    SandboxRecord record = read(directory, SandboxRecord.class);
    require(directory, record.id());
    complete(
        "state sourceId metadata startedAt machine",
        record.state(),
        record.sourceId(),
        record.metadata(),
        record.startedAt(),
        record.machine());
    SandboxRecord.Machine machine = record.machine();
    complete(
        "machine.kernelArguments machine.hostAddress",
        machine.kernelArguments(),
        machine.hostAddress());
    return withTimeout(record);
  }

  /**
   * Earlier versions wrote a timeout of 0 for a sandbox whose end had been set to at once. It was
   * not created to live for ever, so it has the default timeout.
   */
  private static SandboxRecord withTimeout(SandboxRecord record) {
    Long seconds = record.terms().timeoutSeconds();
    return seconds != null && seconds == 0
        ? record.withEnd(
            record.endAt(), record.terms().withTimeout(Sandboxes.DEFAULT_TIMEOUT.toSeconds()))
        : record;
  }

  /**
   * Reads the manifest in a snapshot's directory.
   *
   * @throws IOException with a message for people when it is invalid
   */
  public static SnapshotRecord snapshot(Path directory) throws IOException {
    SnapshotRecord record = read(directory, SnapshotRecord.class);
    require(directory, record.id());
    complete(
        "kind createdAt kernelArguments",
        record.kind(),
        record.createdAt(),
        record.kernelArguments());
    ImageContent content = record.content();
    if (content != null) {
      complete("content.disk", content.disk());
    }
    return record;
  }

  private static <T> T read(Path directory, Class<T> type) throws IOException {
    return JsonFile.read(directory.resolve(Layout.MANIFEST), type);
  }

  private static void require(Path directory, @Nullable String id) throws IOException {
    if (!directory.endsWith(String.valueOf(id))) {
      throw new IOException("its manifest is that of " + id);
    }
  }

  /**
   * Refuses a manifest that lacks required values, so that damage is found here and nowhere else.
   */
  private static void complete(String names, @Nullable Object... values) throws IOException {
    String[] split = names.split(" ", -1);
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null) {
        throw new IOException("its manifest lacks " + split[i]);
      }
    }
  }
}
