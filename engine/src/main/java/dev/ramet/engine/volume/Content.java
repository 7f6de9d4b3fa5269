// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.VolumeContent;
import dev.ramet.engine.VolumeEntry;
import dev.ramet.engine.internal.Ids;
import dev.ramet.linux.Fd;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.Tree;
import dev.ramet.linux.TreeAttributes;
import dev.ramet.linux.TreeEntry;
import dev.ramet.linux.TreeName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The files of one volume for clients. */
public final class Content implements VolumeContent {
  private static final int MOST_ENTRIES = 50_000;
  private static final int DIRECTORY_MODE = 0x1ED; // rwxr-xr-x
  private static final int PERMISSIONS = 0xFFF;

  private final VolumeStore store;
  private final String id;

  /** Those of a volume, which is looked for at each call. */
  public Content(VolumeStore store, String id) {
    this.store = store;
    this.id = id;
  }

  /** Something done with the open volume. */
  private interface Work<T> {
    T with(OpenVolume volume) throws LinuxException, IOException;
  }

  private <T> T done(String path, Work<T> work) throws IOException {
    try (OpenVolume volume = store.open(id)) {
      return work.with(volume);
    } catch (LinuxException e) {
      throw ContentErrors.of(path, e);
    }
  }

  private <T> T doneHere(String path, Work<T> work) {
    try {
      return done(path, work);
    } catch (IOException e) {
      throw new RametException(ErrorCode.HOST_UNFIT, path + ": " + e.getMessage(), e);
    }
  }

  /** The bytes of a path below the volume's directory. */
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

  private static byte[] inner(String path) {
    byte[] name = name(path);
    if (name.length == 0) {
      throw RametException.invalid("path", "must not be the volume itself");
    }
    return name;
  }

  @Override
  public VolumeEntry stat(String path) {
    byte[] name = name(path);
    return doneHere(path, volume -> entry(volume.files(), name, volume.files().stat(name)));
  }

  static VolumeEntry entry(Tree tree, byte[] name, TreeEntry e) throws LinuxException {
    VolumeEntry.Type type =
        e.isFile()
            ? VolumeEntry.Type.FILE
            : e.isDirectory()
                ? VolumeEntry.Type.DIRECTORY
                : e.isLink() ? VolumeEntry.Type.SYMLINK : VolumeEntry.Type.UNKNOWN;
    return new VolumeEntry(
        "/" + new String(name, StandardCharsets.UTF_8),
        type,
        e.isLink() ? new String(tree.readLink(name), StandardCharsets.UTF_8) : null,
        e.sizeBytes(),
        e.permissions(),
        e.uid(),
        e.gid(),
        instant(e.accessedNanos()),
        instant(e.modifiedNanos()),
        instant(e.changedNanos()));
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }

  @Override
  public List<VolumeEntry> list(String path, int depth) {
    byte[] name = name(path);
    return doneHere(
        path,
        volume -> {
          List<VolumeEntry> found = new ArrayList<>();
          list(volume.files(), name, depth, found);
          return found;
        });
  }

  private static void list(Tree tree, byte[] name, int depth, List<VolumeEntry> found)
      throws LinuxException {
    List<TreeName> names = tree.list(name, MOST_ENTRIES - found.size());
    names.sort(Comparator.comparing(TreeName::bytes, Arrays::compareUnsigned));
    for (TreeName next : names) {
      byte[] path = Emptying.join(name, next.bytes());
      TreeEntry entry;
      try {
        entry = tree.stat(path);
        found.add(entry(tree, path, entry));
        if (entry.isDirectory() && depth > 1) {
          list(tree, path, depth - 1, found);
        }
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.ENOENT && e.errno() != ContentErrors.ENOTDIR) {
          throw e; // else a guest has removed it meanwhile
        }
      }
    }
  }

  @Override
  public VolumeEntry makeDirectory(String path, Attributes attributes, boolean force) {
    byte[] name = inner(path);
    check(attributes);
    return doneHere(
        path,
        volume -> {
          synchronized (volume.lock()) {
            if (force) {
              makeParents(volume.files(), name);
            }
            try {
              volume.files().makeDirectory(name, or(attributes.mode(), DIRECTORY_MODE));
              own(volume.files(), name, or(attributes.uid(), 0), or(attributes.gid(), 0));
            } catch (LinuxException e) {
              if (!force
                  || e.errno() != LinuxException.EEXIST
                  || !volume.files().stat(name).isDirectory()) {
                throw e;
              }
            }
            return entry(volume.files(), name, volume.files().stat(name));
          }
        });
  }

  static void makeParents(Tree tree, byte[] name) throws LinuxException {
    for (int i = 0; i < name.length; i++) {
      if (name[i] == '/') {
        try {
          tree.makeDirectory(Arrays.copyOf(name, i), DIRECTORY_MODE);
        } catch (LinuxException e) {
          if (e.errno() != LinuxException.EEXIST) {
            throw e;
          }
        }
      }
    }
  }

  private static void own(Tree tree, byte[] name, int uid, int gid) throws LinuxException {
    try (Fd fd = tree.openAny(name)) {
      Changes.own(fd, uid, gid);
    }
  }

  static int or(@Nullable Integer value, int other) {
    return Objects.requireNonNullElse(value, other);
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
    return doneHere(
        path,
        volume -> {
          try (Fd fd = volume.files().openAny(name)) {
            if (attributes.uid() != null || attributes.gid() != null) {
              TreeAttributes.setOwner(fd, or(attributes.uid(), -1), or(attributes.gid(), -1));
            }
            Integer mode = attributes.mode();
            if (mode != null) {
              TreeAttributes.setMode(fd, mode);
            }
            return entry(volume.files(), name, TreeAttributes.of(fd));
          }
        });
  }

  @Override
  public void remove(String path) {
    byte[] name = inner(path);
    byte[] gone = Ids.next('r').getBytes(StandardCharsets.US_ASCII);
    var unused =
        doneHere(
            path,
            volume -> {
              synchronized (volume.lock()) {
                // At once for guests; what it holds may take a while.
                volume.files().rename(name, volume.uploads(), gone, false);
              }
              Emptying.remove(volume.uploads(), gone);
              return true;
            });
  }

  @Override
  public Opened read(String path) {
    byte[] name = inner(path);
    return doneHere(
        path,
        volume -> {
          Fd file = volume.files().openFile(name, false);
          try {
            TreeEntry entry = TreeAttributes.of(file);
            return new Opened(
                entry(volume.files(), name, entry), new FileStream(file, entry.sizeBytes()));
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
    byte[] name = inner(path);
    check(attributes);
    return done(
        path,
        volume -> new Upload(volume, name, path).receive(content, attributes, overwrite, parents));
  }
}
