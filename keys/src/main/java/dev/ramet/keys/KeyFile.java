// SPDX-License-Identifier: Apache-2.0
package dev.ramet.keys;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.AtomicFile;
import dev.ramet.files.ProcessLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The file of API keys. It holds their digests, never the keys; only its owner can read it. Changes
 * replace the file atomically, so a reader sees the old or the new state; a lock file next to it
 * excludes other writing processes. Thread-safe.
 */
public final class KeyFile {
  /** Its name within a data root. */
  public static final String NAME = "api-keys.json";

  private static final int VERSION = 1;
  private static final int MAX_KEYS = 10_000;
  private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path file;

  /** Opens the keys in {@code file}, which need not exist yet; its directory must. */
  public KeyFile(Path file) {
    this.file = file;
  }

  /** A new key. The key itself is not available later. */
  public record Created(ApiKey stored, String key) {}

  /**
   * Creates a key.
   *
   * @param name 1 to 64 letters, digits, dots, dashes and underscores
   * @throws RametException {@code INVALID_ARGUMENT} for another name, {@code ALREADY_EXISTS} when
   *     another key has it, {@code CORRUPT} when the file cannot be parsed
   */
  public Created create(String name, Scope scope) throws IOException {
    if (!NAMES.matcher(name).matches()) {
      throw RametException.invalid(
          "name", "must be 1 to 64 letters, digits, dots, dashes and underscores");
    }
    try (ProcessLock lock = lock()) {
      List<ApiKey> keys = new ArrayList<>(list());
      if (keys.stream().anyMatch(key -> key.name().equals(name))) {
        throw new RametException(
            ErrorCode.ALREADY_EXISTS,
            "there is already a key named " + name,
            "revoke it first, or choose another name",
            null);
      }
      if (keys.size() >= MAX_KEYS) {
        throw new RametException(ErrorCode.CONFLICT, "there are " + MAX_KEYS + " keys already");
      }
      String key = KeyDigests.newKey();
      ApiKey stored =
          new ApiKey(
              KeyDigests.newId(),
              name,
              scope,
              Instant.ofEpochSecond(Instant.now().getEpochSecond()),
              KeyDigests.digest(key));
      keys.add(stored);
      write(keys);
      return new Created(stored, key);
    }
  }

  /**
   * Revokes a key; a running host refuses it from its next request on.
   *
   * @param idOrName id or name of the key
   * @throws RametException {@code NOT_FOUND} when there is none
   */
  public ApiKey revoke(String idOrName) throws IOException {
    try (ProcessLock lock = lock()) {
      List<ApiKey> keys = new ArrayList<>(list());
      for (ApiKey key : keys) {
        if (key.id().equals(idOrName) || key.name().equals(idOrName)) {
          keys.remove(key);
          write(keys);
          return key;
        }
      }
      throw RametException.notFound("key", idOrName);
    }
  }

  /**
   * Returns all keys, oldest first; empty when there is no file.
   *
   * @throws RametException {@code CORRUPT} when the file cannot be parsed
   */
  public List<ApiKey> list() throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return List.of();
    }
    try {
      JsonNode tree = MAPPER.readTree(bytes);
      if (tree == null || tree.path("version").asInt() != VERSION) {
        throw corrupt("it does not have version " + VERSION, null);
      }
      List<ApiKey> keys = new ArrayList<>();
      for (JsonNode key : tree.path("keys")) {
        keys.add(
            new ApiKey(
                requireText(key, "id"),
                requireText(key, "name"),
                Scope.fromLabel(requireText(key, "scope")),
                Instant.parse(requireText(key, "createdAt")),
                requireText(key, "sha256")));
      }
      return List.copyOf(keys);
    } catch (JsonProcessingException e) {
      throw corrupt(e.getOriginalMessage(), e);
    } catch (DateTimeException e) {
      throw corrupt("" + e.getMessage(), e);
    }
  }

  private String requireText(JsonNode key, String field) {
    JsonNode value = key.path(field);
    if (!value.isTextual()) {
      throw corrupt("a key has no " + field, null);
    }
    return value.asText();
  }

  private RametException corrupt(String why, @Nullable Throwable cause) {
    return new RametException(
        ErrorCode.CORRUPT,
        "cannot understand the API keys in " + file + ": " + why,
        "repair the file, or move it away and create new keys",
        cause);
  }

  private void write(List<ApiKey> keys) throws IOException {
    ArrayNode array = MAPPER.createArrayNode();
    for (ApiKey key : keys) {
      array
          .addObject()
          .put("id", key.id())
          .put("name", key.name())
          .put("scope", key.scope().label())
          .put("createdAt", key.createdAt().toString())
          .put("sha256", key.sha256());
    }
    JsonNode tree = MAPPER.createObjectNode().put("version", VERSION).set("keys", array);
    byte[] bytes = MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(tree);
    AtomicFile.write(file, bytes, AtomicFile.OWNER_ONLY);
  }

  private ProcessLock lock() throws IOException {
    return new ProcessLock(file.resolveSibling(file.getFileName() + ".lock"));
  }
}
