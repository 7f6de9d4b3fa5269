// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.volumes.Volume;
import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.engine.volumes.VolumeMount;
import dev.ramet.engine.volumes.Volumes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Implements {@link Volumes}, and tracks which volumes are in use. Thread-safe. */
public final class VolumeOperations implements Volumes {
  private static final System.Logger LOG = System.getLogger(VolumeOperations.class.getName());
  private static final int MAX_NAMED = 5;

  private final VolumeStore store;
  private final SandboxStore sandboxes;

  /** Mounts of sandboxes that are being created and are not on record yet; guarded by this. */
  private final List<VolumeMount> wanted = new ArrayList<>();

  public VolumeOperations(VolumeStore store, SandboxStore sandboxes) {
    this.store = store;
    this.sandboxes = sandboxes;
  }

  @Override
  public Volume create(String name, IdListener ids) {
    String id = Ids.newId('v');
    ids.assigning(List.of(id));
    try {
      return store.create(id, name);
    } catch (IOException e) {
      throw Errors.ioError("cannot create volume " + name, sandboxes.root(), e);
    }
  }

  @Override
  public Volume get(String id) {
    return store.get(id);
  }

  @Override
  public List<Volume> list() {
    return store.all();
  }

  @Override
  public synchronized void delete(String id) {
    Volume volume = store.get(id);
    List<String> users = usersOf(id);
    if (!users.isEmpty()) {
      int more = users.size() - MAX_NAMED;
      throw new RametException(
          ErrorCode.CONFLICT,
          "volume "
              + volume.name()
              + " is in use by "
              + String.join(", ", users.subList(0, Math.min(users.size(), MAX_NAMED)))
              + (more > 0 ? " and " + more + " more" : ""),
          "kill those sandboxes first",
          null);
    }
    try {
      store.delete(id);
    } catch (IOException e) {
      throw Errors.ioError("cannot delete volume " + volume.name(), sandboxes.root(), e);
    } catch (UncheckedIOException e) {
      throw Errors.translate("cannot delete volume " + volume.name(), sandboxes.root(), e);
    }
  }

  /**
   * Removes open files without names from volumes that no sandbox uses. Called once, before any
   * sandbox can be created.
   */
  public void removeNamelessFiles() {
    for (Volume volume : store.all()) {
      if (usersOf(volume.id()).isEmpty()) {
        try {
          store.forgetNameless(volume.id());
        } catch (RametException e) {
          LOG.log(
              System.Logger.Level.WARNING,
              "volume " + volume.name() + " is incomplete or damaged",
              e);
        }
      }
    }
  }

  /** Returns the users of a volume, for people. */
  private List<String> usersOf(String id) {
    Stream<String> made =
        sandboxes.all().stream()
            .filter(live -> uses(live.saved().terms().rules().volumes(), id))
            .map(LiveSandbox::id)
            .sorted();
    Stream<String> underWay =
        uses(wanted, id) ? Stream.of("a sandbox that is being created") : Stream.of();
    return Stream.concat(made, underWay).toList();
  }

  private static boolean uses(List<VolumeMount> mounts, String id) {
    return mounts.stream().anyMatch(mount -> id.equals(mount.volumeId()));
  }

  @Override
  public VolumeContent content(String id) {
    store.get(id);
    return new VolumeFiles(store, id);
  }

  /** Keeps volumes from being deleted until it is closed. */
  public record Pin(VolumeOperations owner, List<VolumeMount> mounts) implements AutoCloseable {
    @Override
    public void close() {
      synchronized (owner) {
        owner.wanted.removeAll(mounts);
      }
    }
  }

  /**
   * Looks up the volumes of mounts and keeps them from being deleted.
   *
   * @throws RametException {@code NOT_FOUND} if one does not exist
   */
  public synchronized Pin pin(List<VolumeMount> mounts) {
    List<VolumeMount> found = new ArrayList<>();
    for (VolumeMount mount : mounts) {
      found.add(
          store
              .find(mount.name())
              .map(mount::resolvedTo)
              .orElseThrow(() -> RametException.notFound("volume", mount.name())));
    }
    wanted.addAll(found);
    return new Pin(this, List.copyOf(found));
  }
}
