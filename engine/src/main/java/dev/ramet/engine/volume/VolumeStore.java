// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.VolumeRecord;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.volumes.Volume;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.tree.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stores the volumes of a root, each in a directory that appears and disappears by one rename.
 * Thread-safe; there is one store per root.
 */
public final class VolumeStore implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(VolumeStore.class.getName());

  private final Layout layout;
  private final Map<String, Volume> volumes = new HashMap<>();
  private final Map<String, OpenVolume> open = new HashMap<>();

  /** Creates the store of a root. */
  public VolumeStore(Layout layout) {
    this.layout = layout;
  }

  /** Finds the volumes, and removes unfinished creations and deletions. */
  public synchronized void load() throws IOException {
    for (Path path : FileTrees.children(layout.sharedVolumes())) {
      String name = String.valueOf(path.getFileName());
      if (isUnfinished(name)) {
        LOG.log(System.Logger.Level.INFO, "removing unfinished {0}", path);
        remove(path);
      } else if (!Ids.isId(name)) {
        LOG.log(System.Logger.Level.WARNING, "foreign file left alone: {0}", path);
      } else {
        try {
          VolumeRecord record = read(path);
          volumes.put(
              record.id(),
              new Volume(record.id(), record.name(), record.token(), record.createdAt()));
        } catch (IOException e) {
          LOG.log(System.Logger.Level.WARNING, "damaged volume left alone: " + path, e);
        }
      }
    }
  }

  /**
   * Reads the manifest of a volume.
   *
   * @throws IOException with a message for people if there is no valid one
   */
  public static VolumeRecord read(Path directory) throws IOException {
    VolumeRecord record = JsonFile.read(directory.resolve(Layout.MANIFEST), VolumeRecord.class);
    if (record.format() != VolumeRecord.FORMAT) {
      throw new IOException("has layout " + record.format() + ", which this version does not know");
    }
    if (!directory.endsWith(String.valueOf(record.id()))) {
      throw new IOException("its manifest is that of " + record.id());
    }
    if (record.name() == null || record.token() == null || record.createdAt() == null) {
      throw new IOException("its manifest lacks name, token or createdAt");
    }
    return record;
  }

  /** Returns whether a directory name is that of a volume being created or deleted. */
  public static boolean isUnfinished(String name) {
    for (String prefix : List.of(Layout.PARTIAL_PREFIX, Layout.DELETED_PREFIX)) {
      if (name.startsWith(prefix) && Ids.isId(name.substring(prefix.length()))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Creates a volume.
   *
   * @param id its id, which must be unused
   */
  public synchronized Volume create(String id, String name) throws IOException {
    Ids.checkName("name", name);
    if (find(name).isPresent()) {
      throw new RametException(
          ErrorCode.ALREADY_EXISTS,
          "there is already a volume named " + name,
          "use that one, or choose another name",
          null);
    }
    Volume volume = new Volume(id, name, Ids.secret(), java.time.Instant.now());
    Path partial = layout.sharedVolumes().resolve(Layout.PARTIAL_PREFIX + id);
    try {
      Files.createDirectories(layout.sharedVolumes());
      OpenVolume.make(partial);
      VolumeRecord record =
          new VolumeRecord(VolumeRecord.FORMAT, id, name, volume.token(), volume.createdAt());
      JsonFile.write(partial.resolve(Layout.MANIFEST), record, JsonFile.Care.DURABLE);
      FileTrees.syncAll(partial);
      Files.move(partial, directory(id), StandardCopyOption.ATOMIC_MOVE);
      FileTrees.sync(layout.sharedVolumes());
    } catch (LinuxException e) {
      FileTrees.delete(partial);
      throw new IOException(e);
    } catch (IOException e) {
      FileTrees.delete(partial);
      throw e;
    }
    volumes.put(id, volume);
    return volume;
  }

  private Path directory(String id) {
    return layout.sharedVolumes().resolve(id);
  }

  /** Returns all volumes, oldest first. */
  public synchronized List<Volume> all() {
    return volumes.values().stream()
        .sorted(Comparator.comparing(Volume::createdAt).thenComparing(Volume::id))
        .toList();
  }

  /** Returns the volume with this id. */
  public synchronized Volume get(String id) {
    Volume volume = volumes.get(id);
    if (volume == null) {
      throw RametException.notFound("volume", id);
    }
    return volume;
  }

  /** Returns the volume with this name or id. */
  public synchronized Optional<Volume> find(String nameOrId) {
    return volumes.values().stream()
        .filter(volume -> volume.name().equals(nameOrId) || volume.id().equals(nameOrId))
        // A name may look like another volume's id, so the name takes precedence.
        .max(Comparator.comparing(volume -> volume.name().equals(nameOrId)));
  }

  /**
   * Opens a volume for one more user, who closes it.
   *
   * @throws RametException {@code CORRUPT} if its directory is damaged
   */
  public synchronized OpenVolume open(String id) {
    Volume volume = get(id);
    OpenVolume opened = open.get(id);
    if (opened == null) {
      try {
        opened = OpenVolume.open(directory(id));
      } catch (IOException | LinuxException e) {
        throw new RametException(
            ErrorCode.CORRUPT,
            "volume " + volume.name() + " cannot be opened: " + e.getMessage(),
            "look at " + directory(id) + " on the host",
            e);
      }
      open.put(id, opened);
    }
    return opened.shared();
  }

  /**
   * Removes files without names from a volume that no machine uses.
   *
   * @throws RametException {@code CORRUPT} if its directory is damaged
   */
  public void forgetNameless(String id) {
    try (OpenVolume volume = open(id)) {
      volume.forgetNameless();
    } catch (LinuxException e) {
      throw new RametException(ErrorCode.CORRUPT, "cannot clear " + directory(id), e);
    }
  }

  /** Deletes a volume. Users that have it open find it empty. */
  public void delete(String id) throws IOException {
    Path gone = layout.sharedVolumes().resolve(Layout.DELETED_PREFIX + id);
    OpenVolume opened;
    synchronized (this) {
      get(id);
      Files.move(directory(id), gone, StandardCopyOption.ATOMIC_MOVE);
      volumes.remove(id);
      opened = open.remove(id);
    }
    FileTrees.sync(layout.sharedVolumes());
    if (opened != null) {
      opened.close();
    }
    remove(gone);
  }

  private static void remove(Path directory) throws IOException {
    for (Path part : FileTrees.children(directory)) {
      if (Files.isDirectory(part, LinkOption.NOFOLLOW_LINKS)) {
        try (Tree tree = Tree.open(part)) {
          TreeRemoval.removeContents(tree);
        } catch (LinuxException e) {
          throw new IOException(e);
        }
      }
    }
    FileTrees.delete(directory);
  }

  @Override
  public synchronized void close() {
    open.values().forEach(OpenVolume::close);
    open.clear();
  }
}
