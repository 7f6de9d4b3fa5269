// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OwnerOnlyFiles;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The roots of an engine: either one for everything, or one for disks and manifests and one for
 * memory images. The choice is made for a new data root and recorded in both roots, each of which
 * names the other: in combination with another engine's root, all of that engine's images would
 * look abandoned.
 *
 * @param main the root of disks and manifests
 * @param memory the root of the memory images, or null when they are in the main root
 */
public record DataRoots(RootOpener.Root main, RootOpener.@Nullable Root memory) {
  /** The size of a pool that has to be created. */
  public static final Setting<Long> POOL_SIZE =
      Setting.size(
              "ramet.storage-pool-size",
              "bytes",
              "Size of the pool that the host makes; its image is a sparse file.")
          .orElse("chosen for the host")
          .like("68719476736");

  /** The storage backend for a new data root. */
  public static final Setting<String> BACKEND =
      Setting.id("ramet.storage-backend", "Storage backend of a new data root.")
          .orElse("the best that works there")
          .like("reflink-xfs");

  /**
   * A second root that holds only memory images, for example on faster storage, or on storage that
   * may fail without losing the disks. The directory holds nothing else; created when absent.
   */
  public static final Setting<Path> MEMORY_ROOT =
      Setting.path(
              "ramet.storage-memory-root",
              "Directory for the memory images of a new data root, on another file system than the"
                  + " disks and with its own storage backend. The choice is recorded and cannot be"
                  + " changed.")
          .orElse("in the data root")
          .like("/srv/ramet-memory");

  /** The storage backend for a new memory root. */
  public static final Setting<String> MEMORY_BACKEND =
      Setting.id("ramet.storage-memory-backend", "Storage backend of the memory images' directory.")
          .orElse("the best that works there")
          .like("btrfs");

  /** The memory root that the operator wants, and its storage backend if it is not to be chosen. */
  private record MemoryRootSettings(Path path, @Nullable String storageBackend) {
    static @Nullable MemoryRootSettings from(Settings settings) {
      return settings
          .find(MEMORY_ROOT)
          .map(
              path ->
                  new MemoryRootSettings(
                      path.toAbsolutePath(), settings.find(MEMORY_BACKEND).orElse(null)))
          .orElse(null);
    }
  }

  /** Returns all roots. */
  public List<RootOpener.Root> list() {
    RootOpener.Root second = memory;
    return second == null ? List.of(main) : List.of(main, second);
  }

  /**
   * Returns every directory that probes use: the data root, and the roots, which may be pools
   * inside it.
   */
  public Set<Path> directories(EngineConfig config) {
    Set<Path> directories = new LinkedHashSet<>();
    directories.add(config.dataRoot());
    list().forEach(root -> directories.add(root.layout().root()));
    return directories;
  }

  /**
   * Finds or creates the roots.
   *
   * @throws RametException {@code CONFLICT} when the configuration contradicts the records, {@code
   *     HOST_UNFIT} when the memory root does not exist
   */
  public static DataRoots open(EngineConfig config, RootOpener opener) throws IOException {
    RootOpener.Root main =
        opener.open(
            new RootOpener.Request(
                PluginKind.STORAGE,
                config.dataRoot(),
                config.settings().find(BACKEND).orElse(null),
                config.settings().find(POOL_SIZE).orElse(null),
                false));
    RootRecord record = main.record();
    if (record != null && record.memoryOf() != null) {
      throw memoryOnly(main);
    }
    MemoryRootSettings wanted = MemoryRootSettings.from(config.settings());
    if (record == null) {
      return wanted == null ? createSingle(main) : createBoth(config, opener, main, wanted);
    }
    RootRecord.MemoryArea area = record.memory();
    if (area == null) {
      requireNot(wanted != null, main, "its memory images inside it");
      return new DataRoots(main, null);
    }
    requireNot(
        wanted != null && !realPath(wanted.path()).toString().equals(area.path()),
        main,
        "its memory images in " + area.path());
    return new DataRoots(main, find(opener, main, record, area, wanted));
  }

  private static void requireNot(boolean differs, RootOpener.Root main, String how) {
    if (differs) {
      throw new RametException(
          ErrorCode.CONFLICT,
          main.layout().root() + " was made with " + how,
          "set ramet.storage-memory-root to that again, or use another data root",
          null);
    }
  }

  private static DataRoots createSingle(RootOpener.Root main) throws IOException {
    JsonFile.write(
        main.layout().rootRecord(),
        RootRecord.forOneRoot(main.provider().id()),
        JsonFile.Care.DURABLE);
    return new DataRoots(main, null);
  }

  /**
   * Creates both roots. The intent is recorded first, so that the next start completes an
   * interrupted creation.
   */
  private static DataRoots createBoth(
      EngineConfig config, RootOpener opener, RootOpener.Root main, MemoryRootSettings wanted)
      throws IOException {
    closeToOthers(wanted.path());
    Path path = realPath(wanted.path());
    Path dataRoot = realPath(config.dataRoot());
    if (path.startsWith(dataRoot) || dataRoot.startsWith(path)) {
      throw RametException.invalid(
          "storage-memory-root",
          path + " and the data root " + dataRoot + " must not contain each other");
    }
    RootOpener.Root memory =
        opener.open(
            new RootOpener.Request(
                PluginKind.MEMORY_STORAGE, path, wanted.storageBackend(), null, false));
    refuseTaken(memory, null);
    RootRecord record =
        RootRecord.forOneRoot(main.provider().id())
            .withMemory(
                UUID.randomUUID().toString(),
                new RootRecord.MemoryArea(path.toString(), memory.provider().id(), false));
    JsonFile.write(main.layout().rootRecord(), record, JsonFile.Care.DURABLE);
    completeCreation(main, record, memory);
    return new DataRoots(main, memory);
  }

  private static void completeCreation(
      RootOpener.Root main, RootRecord record, RootOpener.Root memory) throws IOException {
    String id = Objects.requireNonNull(record.id());
    RootRecord.MemoryArea area = Objects.requireNonNull(record.memory());
    JsonFile.write(
        memory.layout().rootRecord(),
        RootRecord.memoryOf(id, memory.provider().id()),
        JsonFile.Care.DURABLE);
    JsonFile.write(
        main.layout().rootRecord(),
        record.withMemory(id, new RootRecord.MemoryArea(area.path(), area.storageBackend(), true)),
        JsonFile.Care.DURABLE);
  }

  private static RootOpener.Root find(
      RootOpener opener,
      RootOpener.Root main,
      RootRecord record,
      RootRecord.MemoryArea area,
      @Nullable MemoryRootSettings wanted)
      throws IOException {
    String backend = wanted == null ? null : wanted.storageBackend();
    if (backend != null && !backend.equals(area.storageBackend())) {
      throw new RametException(
          ErrorCode.CONFLICT,
          area.path() + " was made with the storage backend " + area.storageBackend(),
          "remove the storage backend from the configuration, or use another data root",
          null);
    }
    Path path = Path.of(area.path());
    if (area.ready() && !Files.isDirectory(path)) {
      throw RootOpener.rootMissing(path);
    }
    closeToOthers(path);
    RootOpener.Root memory =
        opener.open(
            new RootOpener.Request(
                PluginKind.MEMORY_STORAGE, path, area.storageBackend(), null, area.ready()));
    if (memory.record() == null) {
      refuseTaken(memory, null);
      completeCreation(main, record, memory);
    } else {
      refuseTaken(memory, record.id());
      if (!area.ready()) {
        completeCreation(main, record, memory);
      }
    }
    return memory;
  }

  /** Refuses a root that is not new, unless it belongs to this owner. */
  private static void refuseTaken(RootOpener.Root memory, @Nullable String owner)
      throws IOException {
    RootRecord record = memory.record();
    boolean ours =
        record == null
            ? FileTrees.children(memory.layout().root().resolve("volumes")).isEmpty()
            : owner != null && owner.equals(record.memoryOf());
    if (!ours) {
      throw rootTaken(memory);
    }
  }

  /** Returns the error for a data root that is the memory root of another one. */
  public static RametException memoryOnly(RootOpener.Root main) {
    return new RametException(
        ErrorCode.CONFLICT,
        main.layout().root() + " holds the memory images of another data root",
        "use another directory as the data root",
        null);
  }

  /** Returns the error for a memory root that belongs to another data root. */
  public static RametException rootTaken(RootOpener.Root memory) {
    return new RametException(
        ErrorCode.CONFLICT,
        memory.layout().root() + " belongs to another data root",
        "give each data root a separate directory for its memory images",
        null);
  }

  /** Closes the directory itself to other users; the root may be a pool inside it. */
  private static void closeToOthers(Path directory) {
    OwnerOnlyFiles.secureRoot("memory root", directory);
    ContentPermissions.restrict(directory);
  }

  private static Path realPath(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.toAbsolutePath().normalize();
    }
  }
}
