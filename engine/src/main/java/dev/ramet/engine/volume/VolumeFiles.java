// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.engine.support.Ids;
import dev.ramet.engine.volumes.VolumeContent;
import dev.ramet.engine.volumes.VolumeEntry;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.tree.TreeAttributes;
import dev.ramet.linux.tree.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Gives clients access to the files of one volume. Thread-safe. */
public final class VolumeFiles implements VolumeContent {
  private static final int PERMISSIONS = 0xFFF;

  private final VolumeStore store;
  private final String id;

  /** Creates the content of a volume, which is opened for each call. */
  public VolumeFiles(VolumeStore store, String id) {
    this.store = store;
    this.id = id;
  }

  /** Work on the open volume. */
  private interface Work<T> {
    T run(OpenVolume volume) throws LinuxException, IOException;
  }

  private <T> T withVolume(String path, Work<T> work) throws IOException {
    try (OpenVolume volume = store.open(id)) {
      return work.run(volume);
    } catch (LinuxException e) {
      throw ContentErrors.translate(path, e);
    }
  }

  private <T> T withVolumeUnchecked(String path, Work<T> work) {
    try {
      return withVolume(path, work);
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, path + ": " + e.getMessage(), e);
    }
  }

  /** Returns the bytes of a path below the volume's directory. */
  private static byte[] name(String path) {
    if (path.indexOf('\0') >= 0) {
      throw RametException.invalid("path", "must not hold a zero");
    }
    List<String> parts = new ArrayList<>();
    for (String part : path.split("/", -1)) {
      if (part.equals(".") || part.equals("..")) {
        throw RametException.invalid("path", "must not have parts . and ..");
      }
      if (!part.isEmpty()) {
        parts.add(part);
      }
    }
    return String.join("/", parts).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] requireNonRoot(String path) {
    byte[] name = name(path);
    if (name.length == 0) {
      throw RametException.invalid("path", "must not be the volume itself");
    }
    return name;
  }

  @Override
  public VolumeEntry stat(String path) {
    byte[] name = name(path);
    return withVolumeUnchecked(
        path, volume -> EntryLister.describe(volume.files(), name, volume.files().stat(name)));
  }

  @Override
  public List<VolumeEntry> list(String path, int depth) {
    byte[] name = name(path);
    return withVolumeUnchecked(
        path, volume -> EntryLister.listDirectory(volume.files(), name, depth));
  }

  @Override
  public VolumeEntry makeDirectory(String path, Attributes attributes, boolean force) {
    byte[] name = requireNonRoot(path);
    check(attributes);
    return withVolumeUnchecked(
        path,
        volume -> {
          synchronized (volume.lock()) {
            if (force) {
              DirectoryMaker.makeParents(volume.files(), name);
            }
            try {
              DirectoryMaker.make(volume.files(), name, attributes);
            } catch (LinuxException e) {
              if (!force
                  || e.errno() != LinuxException.EEXIST
                  || !volume.files().stat(name).isDirectory()) {
                throw e;
              }
            }
            return EntryLister.describe(volume.files(), name, volume.files().stat(name));
          }
        });
  }

  private static void check(Attributes attributes) {
    Integer mode = attributes.mode();
    if (mode != null && (mode < 0 || mode > PERMISSIONS)) {
      throw RametException.invalid("mode", "must be 0 to 4095 (0o7777)");
    }
    for (Integer id : new Integer[] {attributes.uid(), attributes.gid()}) {
      if (id != null && id < 0) {
        throw RametException.invalid("uid and gid", "must be 0 to " + Integer.MAX_VALUE);
      }
    }
  }

  @Override
  public VolumeEntry update(String path, Attributes attributes) {
    byte[] name = name(path);
    check(attributes);
    return withVolumeUnchecked(
        path,
        volume -> {
          try (Fd fd = volume.files().openAny(name)) {
            if (attributes.uid() != null || attributes.gid() != null) {
              TreeAttributes.setOwner(
                  fd,
                  Objects.requireNonNullElse(attributes.uid(), -1),
                  Objects.requireNonNullElse(attributes.gid(), -1));
            }
            Integer mode = attributes.mode();
            if (mode != null) {
              TreeAttributes.setMode(fd, mode);
            }
            return EntryLister.describe(volume.files(), name, TreeAttributes.of(fd));
          }
        });
  }

  @Override
  public void remove(String path) {
    byte[] name = requireNonRoot(path);
    byte[] gone = Ids.newId('r').getBytes(StandardCharsets.US_ASCII);
    var unused =
        withVolumeUnchecked(
            path,
            volume -> {
              synchronized (volume.lock()) {
                // The move hides it from guests at once. Deleting its contents may take a while.
                volume.files().rename(name, volume.uploads(), gone, false);
              }
              TreeRemoval.remove(volume.uploads(), gone);
              return true;
            });
  }

  @Override
  public Opened read(String path) {
    byte[] name = requireNonRoot(path);
    return withVolumeUnchecked(
        path,
        volume -> {
          Fd file = volume.files().openFile(name, false);
          try {
            TreeEntry entry = TreeAttributes.of(file);
            return new Opened(
                EntryLister.describe(volume.files(), name, entry),
                new FileStream(file, entry.sizeBytes()));
          } catch (LinuxException e) {
            file.close();
            throw e;
          }
        });
  }

  @Override
  public VolumeEntry write(
      String path, InputStream content, Attributes attributes, boolean overwrite, boolean parents)
      throws IOException {
    byte[] name = requireNonRoot(path);
    check(attributes);
    return withVolume(
        path,
        volume -> new Upload(volume, name, path).receive(content, attributes, overwrite, parents));
  }
}
