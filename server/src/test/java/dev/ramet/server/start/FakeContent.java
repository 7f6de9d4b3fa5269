// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.engine.volumes.VolumeEntry;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Files in memory, by path; directories are those that were created as such. */
final class FakeContent implements VolumeContent {
  private static final Instant THEN = Instant.parse("2031-02-03T04:05:06Z");

  private final ConcurrentNavigableMap<String, VolumeEntry> entries = new ConcurrentSkipListMap<>();
  private final ConcurrentNavigableMap<String, byte[]> files = new ConcurrentSkipListMap<>();

  @Override
  public VolumeEntry stat(String path) {
    VolumeEntry found = entries.get(path);
    if (found == null) {
      throw RametException.notFound("path", path);
    }
    return found;
  }

  @Override
  public List<VolumeEntry> list(String path, int depth) {
    NavigableMap<String, VolumeEntry> below = entries.tailMap(path, false);
    return below.values().stream().filter(e -> e.path().startsWith(path)).toList();
  }

  @Override
  public VolumeEntry makeDirectory(String path, Attributes attributes, boolean force) {
    if (entries.containsKey(path) && !force) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, path + " is there already");
    }
    return put(path, VolumeEntry.Type.DIRECTORY, 0, attributes, 493);
  }

  private VolumeEntry put(
      String path, VolumeEntry.Type type, long size, Attributes attributes, int mode) {
    VolumeEntry made =
        new VolumeEntry(
            path,
            type,
            null,
            size,
            new VolumeEntry.Permissions(
                Objects.requireNonNullElse(attributes.mode(), mode),
                Objects.requireNonNullElse(attributes.uid(), 0),
                Objects.requireNonNullElse(attributes.gid(), 0)),
            new VolumeEntry.Times(THEN, THEN, THEN));
    entries.put(path, made);
    return made;
  }

  @Override
  public VolumeEntry update(String path, Attributes attributes) {
    VolumeEntry old = stat(path);
    return put(path, old.type(), old.sizeBytes(), attributes, old.mode());
  }

  @Override
  public void remove(String path) {
    stat(path);
    entries.remove(path);
    files.remove(path);
  }

  @Override
  public Opened read(String path) {
    VolumeEntry entry = stat(path);
    return new Opened(entry, new ByteArrayInputStream(files.getOrDefault(path, new byte[0])));
  }

  @Override
  public VolumeEntry write(
      String path, InputStream content, Attributes attributes, boolean overwrite, boolean parents)
      throws IOException {
    if (files.containsKey(path) && !overwrite) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, path + " is there already");
    }
    byte[] bytes = content.readAllBytes();
    files.put(path, bytes);
    return put(path, VolumeEntry.Type.FILE, bytes.length, attributes, 420);
  }
}
