// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import static java.lang.System.Logger.Level.WARNING;

import dev.ramet.backends.disk.Layout;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.node.NodeFiles;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.OpenFlag;
import dev.ramet.linux.file.PathCalls;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Creates, lists and deletes the files of layers. Thread-safe for different layers. */
public final class LayerFiles {
  private static final System.Logger LOG = System.getLogger(LayerFiles.class.getName());
  private static final String IDENTITY = ".id";
  private static final String ZEROS = "zeros-";
  private static final int MODE = 0600;

  private final Path directory;
  private final Steps steps;

  public LayerFiles(Path directory, Steps steps) {
    this.directory = directory;
    this.steps = steps;
  }

  public Path directory() {
    return directory;
  }

  public Path path(Layer layer) {
    return directory.resolve(layer.fileName());
  }

  public Steps steps() {
    return steps;
  }

  /** Returns all layers and deletes unfinished files. Other files stay and are logged. */
  public List<Layer> list() throws IOException, LinuxException {
    for (Path path : foreignFiles()) {
      LOG.log(WARNING, "left alone, not a layer: {0}", path);
    }
    for (Path path : unfinishedFiles()) {
      PathCalls.unlink(path);
    }
    return listLayers();
  }

  /** Returns all layers; empty if their directory is missing. */
  public List<Layer> listLayers() throws IOException {
    List<Layer> layers = new ArrayList<>();
    for (Path path : children()) {
      Layer layer = Layer.parse(String.valueOf(path.getFileName()));
      if (layer != null && isFile(path)) {
        layers.add(layer);
      }
    }
    return layers;
  }

  /** Returns the unfinished files. In an open root, some may be in progress. */
  public List<Path> unfinishedFiles() throws IOException {
    return children().stream()
        .filter(path -> isUnfinished(String.valueOf(path.getFileName())) && isFile(path))
        .toList();
  }

  private static boolean isFile(Path path) {
    return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
  }

  private List<Path> children() throws IOException {
    List<Path> children = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
        stream.forEach(children::add);
      } catch (DirectoryIteratorException e) {
        throw e.getCause();
      }
    }
    return children;
  }

  /** Returns the files in the layer directory that are neither layers nor unfinished. */
  List<Path> foreignFiles() throws IOException {
    List<Path> foreign = new ArrayList<>();
    for (Path path : children()) {
      String name = String.valueOf(path.getFileName());
      boolean known = Layer.parse(name) != null || isUnfinished(name) || name.equals(IDENTITY);
      if (!known || Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        foreign.add(path);
      }
    }
    return foreign;
  }

  private static boolean isUnfinished(String name) {
    if (!name.startsWith(Layout.NEW)) {
      return false;
    }
    String rest = name.substring(Layout.NEW.length());
    return Layer.parse(rest) != null || rest.startsWith(ZEROS) || rest.equals("id");
  }

  /**
   * Creates a layer under a temporary name and renames it once it is complete. An incomplete layer
   * would normally be deleted as unused, but one that replaces another must be complete.
   *
   * @param durable whether the layer survives a loss of power from then on
   */
  void make(Layer layer, NodeFiles.Filler filler, boolean durable) throws LinuxException {
    Path unfinished = directory.resolve(Layout.NEW + layer.fileName());
    Path made = unfinished;
    steps.before("make layer");
    boolean done = false;
    try {
      try (Fd fd = Fd.createNew(unfinished, MODE)) {
        filler.fill(fd, unfinished);
        if (durable) {
          fd.fsync();
        }
      }
      steps.before("rename layer");
      PathCalls.renameToNew(unfinished, path(layer));
      made = path(layer);
      if (durable) {
        Fd.syncDirectory(directory);
      }
      done = true;
    } finally {
      if (!done) {
        steps.before("unlink layer");
        PathCalls.unlink(made);
      }
    }
  }

  /** Opens a layer's file. */
  public Fd open(Layer layer, boolean writable) throws LinuxException {
    return writable
        ? Fd.open(path(layer), Set.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.NO_FOLLOW), 0)
        : Fd.openRead(path(layer));
  }

  /** Makes a layer's content and name durable against a loss of power. */
  public void sync(Layer layer) throws LinuxException {
    try (Fd fd = open(layer, false)) {
      fd.fsync();
    }
    Fd.syncDirectory(directory);
  }

  /** Changes the length of a layer's file, durably. */
  void resize(Layer layer, long bytes) throws LinuxException {
    try (Fd fd = open(layer, true)) {
      steps.before("truncate layer");
      fd.truncate(bytes);
      fd.fsync();
    }
  }

  /** Renames a layer's file after a change of the layer's properties, durably. */
  void rename(Layer layer, Layer now) throws LinuxException {
    steps.before("rename layer");
    PathCalls.renameToNew(path(layer), path(now));
    Fd.syncDirectory(directory);
  }

  /**
   * Creates an unnamed file of zeros, as one hole. It disappears when no device uses it any more.
   */
  Fd makeZeros(long bytes) throws LinuxException {
    Path path = directory.resolve(Layout.NEW + ZEROS + UUID.randomUUID());
    steps.before("make zeros");
    Fd fd = Fd.createNew(path, MODE);
    boolean done = false;
    try {
      fd.truncate(bytes);
      done = true;
      return fd;
    } finally {
      steps.before("unlink zeros");
      PathCalls.unlink(path);
      if (!done) {
        fd.close();
      }
    }
  }

  /** Returns the space in bytes that a layer's file takes on disk. */
  long allocatedBytes(Layer layer) throws LinuxException {
    try (Fd fd = open(layer, false)) {
      return fd.stat().allocatedBytes();
    }
  }

  /** Deletes a layer's file. Its blocks are freed when no device uses it any more. */
  void delete(Layer layer) throws LinuxException {
    steps.before("unlink layer");
    PathCalls.unlink(path(layer));
  }
}
