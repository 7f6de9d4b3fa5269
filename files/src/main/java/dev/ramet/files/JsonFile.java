// SPDX-License-Identifier: Apache-2.0
package dev.ramet.files;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Reads and atomically replaces JSON files: each is written to a temporary name in the same
 * directory and renamed.
 */
public final class JsonFile {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
          .build();

  /** Manifests hold access tokens. */
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Far above any manifest. A larger file is not read into memory. */
  private static final long MAX_BYTES = 16 << 20;

  /** The effect that a power loss may have on a replaced file. */
  public enum Care {
    /** Anything, until the writer has synced it; nothing depends on the file before that. */
    LATER,
    /**
     * Bring back the old content, or the absence of the file. It never leaves an empty file, which
     * could happen if the name reached the disk before the content: XFS does not order the two.
     */
    WHOLE,
    /** Nothing. */
    DURABLE
  }

  private JsonFile() {}

  /**
   * Reads a file.
   *
   * @throws IOException also when it is not a regular file, too large, or holds no value
   */
  public static <T> T read(Path file, Class<T> type) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException(file + " is not a regular file");
    }
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " is too large to be a manifest");
    }
    return read(file, Files.readAllBytes(file), type);
  }

  /**
   * Parses the content of a file that was already read.
   *
   * @throws IOException also when it holds no value
   */
  public static <T> T read(Path file, byte[] content, Class<T> type) throws IOException {
    T value = MAPPER.readValue(content, type);
    if (value == null) {
      throw new IOException(file + " holds no value");
    }
    return value;
  }

  /** Returns the temporary name of a file while it is written. */
  public static String unfinished(String name) {
    return "." + name + ".new";
  }

  /** Parses a text. */
  public static JsonNode tree(String text) throws IOException {
    return MAPPER.readTree(text);
  }

  /** Returns a value as one JSON document. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (IOException e) {
      throw new IllegalStateException("manifest cannot be written as JSON", e);
    }
  }

  /**
   * Replaces a file atomically: a reader sees the old content or the new, also after a crash.
   *
   * @param care what a power loss may do
   */
  public static void write(Path file, Object value, Care care) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    Path fresh = file.resolveSibling(unfinished(String.valueOf(file.getFileName())));
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE),
            OWNER_ONLY)) {
      ByteBuffer bytes = ByteBuffer.wrap(bytes(value));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      if (care != Care.LATER) {
        channel.force(true);
      }
    } catch (IOException e) {
      IOException failure = parent == null ? e : DiskFullException.orElse(parent, e);
      Files.deleteIfExists(fresh);
      throw failure;
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    if (care == Care.DURABLE && parent != null) {
      FileTrees.sync(parent);
    }
  }
}
