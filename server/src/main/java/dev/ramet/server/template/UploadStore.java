// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.engine.EngineConfig;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the archives that template builds copy from, one file each. Each caller has a separate
 * directory, because a caller's hashes prove nothing to others. Archives are kept for later builds
 * until they were not used for a day, or others need the space. Thread-safe.
 */
@Singleton
public final class UploadStore {
  /** The maximum size of all uploads together. */
  public static final Setting<Long> BYTES =
      Setting.size(
              "ramet.upload-bytes",
              "bytes",
              "How much space the files that clients upload for template builds may take in all."
                  + " The host removes files that were not used for a day, and the oldest ones"
                  + " earlier if new files need their space.")
          .byDefault(4_294_967_296L);

  /** Name of its directory within the data root. */
  static final String DIRECTORY = "uploads";

  /** How long an unused archive is kept. */
  static final Duration AGE = Duration.ofHours(24);

  private static final Duration EVERY = Duration.ofHours(1);
  private static final Logger LOG = LoggerFactory.getLogger(UploadStore.class);
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final String PARTIAL_PREFIX = ".new-";

  private final Path root;
  private final long most;
  private final AtomicInteger parts = new AtomicInteger();
  private final Map<Path, Integer> used = new HashMap<>();

  /** Bytes of archives that are being uploaded. */
  private long incoming;

  /** Bytes of stored archives, as last counted. */
  private long kept;

  private boolean begun;

  @Inject
  UploadStore(Settings settings, TaskScheduler scheduler) {
    this(settings.get(EngineConfig.DATA_ROOT).resolve(DIRECTORY), settings.get(BYTES));
    var unused = scheduler.scheduleWithFixedDelay(EVERY, EVERY, this::removeExpiredOccasionally);
  }

  UploadStore(Path root, long most) {
    this.root = root;
    this.most = most;
  }

  /**
   * Checks a client's hash of an archive.
   *
   * @param field name of the field, for the error
   */
  public static String hash(String field, String hash) {
    if (!HASH.matcher(hash).matches()) {
      throw RametException.invalid(field, "must be 64 hexadecimal digits in lower case");
    }
    return hash;
  }

  /** Returns whether an archive exists; if so, keeps it for another day. */
  public synchronized boolean touchIfPresent(String caller, String hash) {
    Path file = archivePath(caller, hash);
    if (!Files.isRegularFile(file)) {
      return false;
    }
    touch(file);
    return true;
  }

  /** An archive in use, which is kept until this is closed. */
  public final class Pin implements AutoCloseable {
    private final Path file;

    private Pin(Path file) {
      this.file = file;
    }

    /** Returns its path. */
    public Path file() {
      return file;
    }

    @Override
    public void close() {
      synchronized (UploadStore.this) {
        used.computeIfPresent(file, (path, users) -> users == 1 ? null : users - 1);
      }
    }
  }

  /**
   * Keeps an archive while it is used.
   *
   * @param field name of the field, for the error
   * @throws RametException {@code INVALID_ARGUMENT} when it was not uploaded
   */
  public synchronized Pin pin(String field, String caller, String hash) {
    if (!touchIfPresent(caller, hash)) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          field + ": nothing was uploaded as " + hash,
          "upload it to the address from GET /templates/{id}/files/{hash}",
          null);
    }
    Path file = archivePath(caller, hash);
    used.merge(file, 1, Integer::sum);
    return new Pin(file);
  }

  /**
   * Stores an archive, replacing an existing one.
   *
   * @throws RametException {@code TOO_LARGE} when it does not fit among the others, {@code
   *     NO_SPACE} when the disk is full
   * @throws IOException when the client disconnects
   */
  public void receive(String caller, String hash, InputStream content) throws IOException {
    Path file = archivePath(caller, hash);
    Path directory = root.resolve(caller);
    Path partial = directory.resolve(PARTIAL_PREFIX + parts.incrementAndGet());
    long[] taken = new long[1];
    try {
      prepareDirectory(directory);
      UploadWriter.write(
          content,
          partial,
          bytes -> {
            makeRoom(bytes);
            taken[0] += bytes;
          });
      synchronized (this) {
        Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
        kept += taken[0];
      }
    } finally {
      Files.deleteIfExists(partial);
      synchronized (this) {
        incoming -= taken[0];
      }
    }
  }

  private synchronized void prepareDirectory(Path directory) throws IOException {
    if (!begun) {
      clearPartials();
      begun = true;
    }
    removeExpired(most);
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /** Counts arriving bytes and deletes older archives to make room for them. */
  private synchronized void makeRoom(int bytes) throws IOException {
    if (kept + incoming + bytes > most) {
      removeExpired(most - incoming - bytes);
    }
    if (kept + incoming + bytes > most) {
      throw new RametException(
          ErrorCode.TOO_LARGE,
          "uploaded files may take at most " + most + " bytes in all",
          "upload less, or increase ramet.upload-bytes",
          null);
    }
    incoming += bytes;
  }

  private record Kept(Path file, FileTime usedAt, long bytes) {}

  /**
   * Deletes expired archives, and then the oldest of the others until the rest fits into a number
   * of bytes. Archives in use are kept.
   */
  private void removeExpired(long room) throws IOException {
    List<Kept> all = new ArrayList<>();
    if (Files.isDirectory(root)) {
      try (Stream<Path> paths = Files.walk(root, 2)) {
        for (Path path : paths.filter(UploadStore::isArchive).toList()) {
          all.add(new Kept(path, Files.getLastModifiedTime(path), Files.size(path)));
        }
      }
    }
    all.sort(Comparator.comparing(Kept::usedAt));
    kept = all.stream().mapToLong(Kept::bytes).sum();
    Instant oldest = Instant.now().minus(AGE);
    for (Kept one : all) {
      boolean unneeded = kept > room || one.usedAt().toInstant().isBefore(oldest);
      if (unneeded && !used.containsKey(one.file())) {
        Files.deleteIfExists(one.file());
        kept -= one.bytes();
      }
    }
  }

  private synchronized void removeExpiredOccasionally() {
    try {
      removeExpired(most);
    } catch (IOException | RuntimeException e) {
      LOG.warn("cannot list {}", root, e);
    }
  }

  private static boolean isArchive(Path path) {
    return HASH.matcher(String.valueOf(path.getFileName())).matches() && Files.isRegularFile(path);
  }

  /**
   * Deletes incomplete uploads of a killed host. This process must have the data root to itself.
   */
  private void clearPartials() throws IOException {
    if (Files.isDirectory(root)) {
      try (Stream<Path> paths = Files.walk(root, 2)) {
        for (Path path : paths.toList()) {
          if (String.valueOf(path.getFileName()).startsWith(PARTIAL_PREFIX)) {
            Files.deleteIfExists(path);
          }
        }
      }
    }
  }

  private Path archivePath(String caller, String hash) {
    return root.resolve(caller).resolve(hash);
  }

  private static void touch(Path file) {
    try {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    } catch (IOException e) {
      LOG.warn("cannot record the use of {}", file, e);
    }
  }
}
