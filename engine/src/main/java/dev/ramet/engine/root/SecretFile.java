// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.egress.rule.Secret;
import dev.ramet.egress.rule.SecretChecks;
import dev.ramet.egress.rule.Secrets;
import dev.ramet.engine.root.SecretsRecord.Entry;
import dev.ramet.engine.support.Ids;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores the secrets in one file that only its owner can read and that is replaced as a whole. The
 * file is read at first use and must have no other writer meanwhile. Thread-safe.
 */
public final class SecretFile implements Secrets {
  /** The file's name below a data root. */
  public static final String NAME = "secrets.json";

  /** The largest number of secrets; more belong in a dedicated secret store. */
  static final int MAX = 1000;

  private final Path file;
  private @Nullable List<Entry> known;

  /**
   * Creates the store of a data root's secrets.
   *
   * @param dataRoot a directory; the file need not exist
   */
  public SecretFile(Path dataRoot) {
    this.file = dataRoot.resolve(NAME);
  }

  @Override
  public synchronized Secret create(
      String name, String value, Map<String, String> metadata, Consumer<String> beforehand) {
    String canonical = SecretChecks.name(name);
    SecretChecks.value(value);
    SecretChecks.metadata(metadata);
    List<Entry> entries = new ArrayList<>(entries());
    if (entries.stream().anyMatch(entry -> entry.name().equals(canonical))) {
      throw new RametException(
          ErrorCode.ALREADY_EXISTS,
          "there is already a secret named " + canonical,
          "replace its value, remove it first, or choose another name",
          null);
    }
    if (entries.size() >= MAX) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "there are " + MAX + " secrets already",
          "remove those you no longer need: ramet secret ls, ramet secret rm",
          null);
    }
    Instant now = now();
    Entry made =
        new Entry(ID_PREFIX + Ids.newId('s'), canonical, value, 1, Map.copyOf(metadata), now, now);
    beforehand.accept(made.id());
    entries.add(made);
    writeEntries(entries);
    return toSecret(made);
  }

  @Override
  public synchronized Secret update(
      String idOrName, String value, @Nullable Map<String, String> metadata) {
    SecretChecks.value(value);
    SecretChecks.metadata(metadata == null ? Map.of() : metadata);
    Entry before = find(idOrName);
    Entry after =
        new Entry(
            before.id(),
            before.name(),
            value,
            before.version() + 1,
            metadata == null ? before.metadata() : Map.copyOf(metadata),
            before.createdAt(),
            now());
    List<Entry> entries = new ArrayList<>(entries());
    entries.set(entries.indexOf(before), after);
    writeEntries(entries);
    return toSecret(after);
  }

  @Override
  public synchronized Secret get(String idOrName) {
    return toSecret(find(idOrName));
  }

  @Override
  public synchronized List<Secret> list() {
    return entries().stream().map(SecretFile::toSecret).toList();
  }

  @Override
  public synchronized void delete(String idOrName) {
    Entry gone = find(idOrName);
    writeEntries(entries().stream().filter(entry -> !entry.equals(gone)).toList());
  }

  /**
   * Returns the value of a secret for a request that is about to be sent; null when there is none.
   */
  public synchronized @Nullable String value(String idOrName) {
    Entry found = findOrNull(idOrName);
    return found == null ? null : found.value();
  }

  private Entry find(String idOrName) {
    Entry found = findOrNull(idOrName);
    if (found == null) {
      throw RametException.notFound("secret", idOrName);
    }
    return found;
  }

  private @Nullable Entry findOrNull(String idOrName) {
    String name = idOrName.toLowerCase(Locale.ROOT);
    for (Entry entry : entries()) {
      if (entry.id().equals(idOrName) || entry.name().equals(name)) {
        return entry;
      }
    }
    return null;
  }

  private List<Entry> entries() {
    List<Entry> entries = known;
    if (entries == null) {
      entries = read();
      known = entries;
    }
    return entries;
  }

  private List<Entry> read() {
    try {
      SecretsRecord record = JsonFile.read(file, Files.readAllBytes(file), SecretsRecord.class);
      if (record.format() != SecretsRecord.FORMAT) {
        throw new IOException("it has format " + record.format());
      }
      return List.copyOf(record.secrets());
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException | NullPointerException e) {
      // Without the cause: a parser's message may contain secret values.
      throw new RametException(
          ErrorCode.CORRUPT,
          "cannot understand the secrets in " + file,
          "restore the file, or move it away and create the secrets again",
          null);
    }
  }

  private void writeEntries(List<Entry> entries) {
    try {
      JsonFile.write(file, new SecretsRecord(SecretsRecord.FORMAT, entries), JsonFile.Care.DURABLE);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot store the secrets in " + file + ": " + e.getMessage(),
          "free space there and let the host's user write",
          e);
    }
    known = List.copyOf(entries);
  }

  private static Secret toSecret(Entry entry) {
    return new Secret(
        entry.id(),
        entry.name(),
        entry.version(),
        entry.metadata(),
        entry.createdAt(),
        entry.updatedAt());
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }
}
