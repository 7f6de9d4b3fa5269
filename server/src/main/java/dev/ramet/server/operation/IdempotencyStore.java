// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the responses to requests with an idempotency key, one file each, in one directory per
 * caller. Only the host's user can read them, because responses contain tokens of sandboxes.
 * Written data survives a power loss. Callers must ensure that nobody else uses a key at the same
 * time; otherwise thread-safe.
 */
final class IdempotencyStore {
  /** How long a key is remembered. */
  static final Duration AGE = Duration.ofHours(24);

  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyStore.class);
  private static final int VERSION = 1;
  private static final int TIDY_EVERY = 100;
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final FileAttribute<?> OWNERS_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> OWNERS_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path root;
  private final int most;
  private int writes;

  /**
   * Opens the responses in a directory, which need not exist.
   *
   * @param most how many a caller may have; the oldest are deleted first
   */
  IdempotencyStore(Path root, int most) {
    this.root = root;
    this.most = most;
  }

  /**
   * The stored state of a request.
   *
   * @param fingerprint digest that distinguishes its content from another's
   * @param ids ids reserved for the objects it was about to create
   * @param status status of its response, or 0 while there is none
   * @param body body of its response
   */
  record Entry(String fingerprint, List<String> ids, int status, @Nullable JsonNode body) {
    boolean answered() {
      return status != 0;
    }
  }

  /** Returns the stored state of a request, or null. */
  @Nullable Entry find(String caller, String key) throws IOException {
    Path file = file(caller, key);
    try {
      if (isExpired(file)) {
        return null;
      }
      JsonNode tree = MAPPER.readTree(Files.readAllBytes(file));
      if (tree.path("version").asInt() != VERSION) {
        throw new IOException(file + " has another version");
      }
      List<String> ids = new ArrayList<>();
      tree.path("ids").forEach(id -> ids.add(id.asText()));
      return new Entry(
          tree.path("fingerprint").asText(), ids, tree.path("status").asInt(), tree.get("body"));
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static boolean isExpired(Path file) throws IOException {
    return Files.getLastModifiedTime(file).toInstant().isBefore(Instant.now().minus(AGE));
  }

  /** Stores the state of a request durably. */
  void put(String caller, String key, Entry entry) throws IOException {
    ObjectNode tree = MAPPER.createObjectNode().put("version", VERSION);
    tree.put("fingerprint", entry.fingerprint());
    ArrayNode ids = tree.putArray("ids");
    entry.ids().forEach(ids::add);
    if (entry.answered()) {
      tree.put("status", entry.status());
      tree.set("body", entry.body());
    }
    Path file = file(caller, key);
    Path directory = root.resolve(caller);
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory, OWNERS_DIRECTORY);
      sync(root);
    }
    Path next = directory.resolve("." + key);
    Files.deleteIfExists(next);
    try {
      Files.createFile(next, OWNERS_FILE);
      Files.write(
          next, MAPPER.writeValueAsBytes(tree), StandardOpenOption.WRITE, StandardOpenOption.SYNC);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(next);
      throw e;
    }
    sync(directory);
    removeExpiredOccasionally();
  }

  private static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory)) {
      channel.force(true);
    }
  }

  /** Deletes the state of a request, if there is any. */
  void remove(String caller, String key) throws IOException {
    Files.deleteIfExists(file(caller, key));
  }

  private synchronized void removeExpiredOccasionally() {
    if (writes++ % TIDY_EVERY != 0) {
      return;
    }
    try (Stream<Path> callers = Files.list(root)) {
      for (Path caller : callers.filter(Files::isDirectory).toList()) {
        removeExpired(caller);
      }
    } catch (IOException e) {
      LOG.warn("cannot read the stored responses in {}", root, e);
    }
  }

  private record Aged(Path file, FileTime time) {}

  private void removeExpired(Path caller) throws IOException {
    List<Aged> files = new ArrayList<>();
    try (Stream<Path> all = Files.list(caller)) {
      for (Path file : all.toList()) {
        try {
          files.add(new Aged(file, Files.getLastModifiedTime(file)));
        } catch (NoSuchFileException e) {
          // The file was being written, or another thread deleted it.
        }
      }
    }
    files.sort(Comparator.comparing(Aged::time));
    Instant oldest = Instant.now().minus(AGE);
    for (int i = 0; i < files.size(); i++) {
      if (files.size() - i > most || files.get(i).time().toInstant().isBefore(oldest)) {
        Files.deleteIfExists(files.get(i).file());
      }
    }
  }

  private Path file(String caller, String key) {
    return root.resolve(caller).resolve(key);
  }
}
