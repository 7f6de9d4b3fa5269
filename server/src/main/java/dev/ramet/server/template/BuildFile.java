// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.files.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The file of a host's template builds. Only its owner can read it, because the output of a failed
 * step may contain secrets. It is replaced atomically. Used by one thread at a time.
 */
final class BuildFile {
  /** Its name within a data root. */
  static final String NAME = "template-builds.json";

  private static final int VERSION = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path file;

  /** Opens the builds in {@code file}, which need not exist yet; its directory must. */
  BuildFile(Path file) {
    this.file = file;
  }

  private record Content(int version, List<SavedBuild> builds) {}

  /**
   * Returns all builds, oldest first; empty when there is no file.
   *
   * @throws IOException also when the file cannot be parsed
   */
  List<SavedBuild> read() throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return List.of();
    }
    Content content = MAPPER.readValue(bytes, Content.class);
    if (content == null || content.version() != VERSION || content.builds() == null) {
      throw new IOException(file + " does not have version " + VERSION);
    }
    return content.builds();
  }

  /** Replaces all builds durably. */
  void write(List<SavedBuild> builds) throws IOException {
    byte[] bytes = MAPPER.writeValueAsBytes(new Content(VERSION, builds));
    AtomicFile.write(file, bytes, AtomicFile.OWNER_ONLY);
  }
}
