// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import dev.ramet.backends.disk.HostErrors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.PathCalls;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.TreeStreams;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A backend that also sends and receives trees, by btrfs-send(8) and btrfs-receive(8). */
final class BtrfsStreamingBackend extends BtrfsBackend implements TreeStreams {
  private final BtrfsProgram program;

  BtrfsStreamingBackend(Opened root, BtrfsTrees trees, BtrfsProgram program) throws LinuxException {
    super(root, trees);
    this.program = program;
  }

  @Override
  public void sendTree(NodeId tree, @Nullable NodeId base, Path target) {
    BtrfsTrees trees = openTrees();
    Path absolute = target.toAbsolutePath().normalize();
    Path directory = absolute.getParent();
    List<String> arguments = new ArrayList<>(List.of("send", "-q"));
    if (base != null) {
      arguments.addAll(List.of("-p", trees.immutable(base).toString()));
    }
    Path source = trees.immutable(tree);
    if (directory == null || !Files.isDirectory(directory)) {
      throw RametException.notFound("directory", String.valueOf(directory));
    }
    if (Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, "the file already exists: " + target);
    }
    Path unfinished = directory.resolve(".ramet-export-" + UUID.randomUUID());
    arguments.addAll(List.of("-f", unfinished.toString(), source.toString()));
    boolean done = false;
    try {
      // Made here, so that it is for its owner alone.
      try (Fd fd = Fd.createNew(unfinished, 0600)) {
        String failure = program.run(arguments.toArray(new String[0]));
        if (failure != null) {
          throw commandFailed("send the tree " + tree, failure, directory);
        }
        fd.fsync();
      }
      PathCalls.renameToNew(unfinished, absolute);
      done = true;
      Fd.syncDirectory(directory);
    } catch (LinuxException e) {
      throw HostErrors.translate(e, "send the tree " + tree + " to " + target, directory);
    } finally {
      if (!done) {
        unfinished.toFile().delete();
      }
    }
  }

  @Override
  public Path receiveTree(Path source, NodeId id) {
    BtrfsTrees trees = openTrees();
    if (!Files.isRegularFile(source)) {
      throw RametException.notFound("file", source.toString());
    }
    if (trees.list().contains(id)) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, "the name is taken: " + id);
    }
    Receivers receivers = trees.receivers();
    Path receiver = receivers.create();
    try {
      String failure =
          program.run(
              "receive", "-q", "-f", source.toAbsolutePath().toString(), receiver.toString());
      if (failure != null) {
        throw commandFailed("receive the tree " + id, failure, receiver);
      }
      // A read-only tree cannot be moved; receivers accept its read-only copy as the same tree.
      return trees.snapshot(Receivers.findReceived(receiver), id, true);
    } finally {
      receivers.discard(receiver);
    }
  }

  /** The program gives its reason only as text, so a full disk is looked for on the host. */
  private static RametException commandFailed(String doing, String output, Path where) {
    if (where.toFile().getUsableSpace() < 4 << 20) {
      return new RametException(
          ErrorCode.NO_SPACE,
          "cannot " + doing + ": no space left on " + HostErrors.describe(where),
          "delete snapshots or sandboxes, or enlarge the file system",
          null);
    }
    return new RametException(
        ErrorCode.CONFLICT,
        "cannot " + doing + ": " + output,
        "check that the stream is complete and that its base is here",
        null);
  }
}
