// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.volumes.Volume;
import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.engine.volumes.VolumeMount;
import dev.ramet.engine.volumes.Volumes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Volumes in memory. */
final class FakeVolumes implements Volumes {
  final Map<String, Volume> byId = new ConcurrentHashMap<>();
  private final Map<String, FakeContent> contents = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final FakeEngine engine;

  FakeVolumes(FakeEngine engine) {
    this.engine = engine;
  }

  @Override
  public Volume create(String name, IdListener ids) {
    if (byId.values().stream().anyMatch(volume -> volume.name().equals(name))) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, "there is already a volume named " + name);
    }
    String id = "vol" + count.incrementAndGet();
    ids.assigning(List.of(id));
    Volume made = new Volume(id, name, "secret-of-" + id, Instant.now());
    byId.put(id, made);
    return made;
  }

  @Override
  public Volume get(String id) {
    Volume found = byId.get(id);
    if (found == null) {
      throw RametException.notFound("volume", id);
    }
    return found;
  }

  @Override
  public List<Volume> list() {
    return byId.values().stream().sorted(Comparator.comparing(Volume::createdAt)).toList();
  }

  @Override
  public void delete(String id) {
    Volume volume = get(id);
    for (Sandbox sandbox : engine.sandboxes.list()) {
      if (sandbox.rules().volumes().stream().anyMatch(m -> m.name().equals(volume.name()))) {
        throw new RametException(
            ErrorCode.CONFLICT, "volume " + volume.name() + " is in use by " + sandbox.id());
      }
    }
    byId.remove(id);
  }

  @Override
  public VolumeContent content(String id) {
    get(id);
    return contents.computeIfAbsent(id, key -> new FakeContent());
  }

  /** Resolves the volumes of a new sandbox, as {@link Volumes} does. */
  List<VolumeMount> found(List<VolumeMount> mounts) {
    return mounts.stream()
        .map(
            mount ->
                byId.values().stream()
                    .filter(v -> v.name().equals(mount.name()) || v.id().equals(mount.name()))
                    .findFirst()
                    .map(mount::resolvedTo)
                    .orElseThrow(() -> RametException.notFound("volume", mount.name())))
        .toList();
  }
}
