// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import dev.ramet.agent.Guest;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.term.TerminalText;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Copies folders as tar archives. As {@code cp -r} does, a folder is copied into a target folder
 * that exists, and becomes the target otherwise; of a source that ends in {@code /.} the contents
 * are copied. A copy that fails leaves no new folder behind.
 */
final class TreeCopy {
  private static final int PIECE = 256 << 10;

  private final Context context;
  private final Guest guest;
  private final Interruption interruption;

  TreeCopy(Context context, Guest guest, Interruption interruption) {
    this.context = context;
    this.guest = guest;
    this.interruption = interruption;
  }

  private void leftOut(String name) {
    context
        .err()
        .println("left out, because it is no file, folder or link: " + TerminalText.harmless(name));
  }

  /** Copies a folder or file of the guest to this machine. */
  void download(String remote, String local) throws IOException {
    GuestTree tree = new GuestTree(guest);
    String wanted = GuestTree.withoutEnd(remote);
    GuestTree.Entry source = tree.find(wanted);
    if (source == null) {
      throw RametException.notFound("file in the sandbox", remote);
    }
    // The guest's answer chooses no place on this machine: only what the user wrote does.
    boolean contents = remote.endsWith("/.") || wanted.equals("/");
    Path target = Path.of(local).toAbsolutePath().normalize();
    Path place =
        Files.isDirectory(target) && !contents
            ? target.resolve(onePart(GuestTree.name(wanted), remote))
            : target;
    Path parent = place.getParent() == null ? place : place.getParent();
    Files.createDirectories(parent);
    // Beside the target, so that it can be moved there, and closed to other users.
    Path work = Files.createTempDirectory(parent, ".ramet-copy-");
    try {
      String folder = contents ? source.path() : GuestTree.parent(source.path());
      String name = contents ? "." : onePart(GuestTree.name(source.path()), remote);
      String member = contents ? name : "./" + name;
      Path unpacked = Files.createDirectory(work.resolve("tree"));
      TreeUnpacker unpacker = new TreeUnpacker(unpacked, this::leftOut);
      try (GuestTar tar = GuestTar.start(guest, false, "-c", "-f", "-", "-C", folder, member)) {
        interruption.ends(tar);
        unpacker.unpack(tar.output());
        tar.finish();
      }
      interruption.check();
      Path made = contents ? unpacked : unpacked.resolve(name);
      Set<Path> merged = TreeMerge.move(made, place);
      // Only now, because a directory that its owner cannot write to cannot be moved by them.
      unpacker.closeDirectories(contents ? Path.of("") : Path.of(name), place, merged);
    } finally {
      TreeMerge.delete(work);
    }
  }

  /** Returns a name that lies in the folder it is resolved against, and nowhere else. */
  private static String onePart(String name, String remote) {
    if (List.of("", "~", ".", "..").contains(name) || name.indexOf('/') >= 0) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          remote + " has no name that the copy here could have",
          "write " + GuestTree.withoutEnd(remote) + "/. for its contents, or name a new target",
          null);
    }
    return name;
  }

  /** Copies a folder or file of this machine to the guest. */
  void upload(String local, String remote) throws IOException {
    Path source = Path.of(GuestTree.withoutEnd(local)).toAbsolutePath().normalize();
    boolean contents = local.endsWith("/.") || local.equals(".");
    if (!Files.exists(source)) {
      throw RametException.notFound("file", local);
    }
    GuestTree tree = new GuestTree(guest);
    String wanted = GuestTree.withoutEnd(remote);
    GuestTree.Entry target = tree.find(wanted);
    if (target != null && !contents && (target.folder() || remote.endsWith("/"))) {
      wanted = target.path() + "/" + source.getFileName();
      target = tree.find(wanted);
    } else if (target == null && remote.endsWith("/") && !contents) {
      wanted = wanted + "/" + source.getFileName();
    }
    if (target != null && target.folder()) {
      send(source, ".", target.path(), true);
      return;
    }
    if (target != null && Files.isDirectory(source)) {
      throw new RametException(
          ErrorCode.CONFLICT,
          target.path() + " is no folder in the sandbox",
          "delete it, or choose another target",
          null);
    }
    create(tree, source, wanted);
  }

  /** Copies to a place where no folder is, by way of a folder beside it. */
  private void create(GuestTree tree, Path source, String place) throws IOException {
    String parent = GuestTree.parent(place);
    tree.makeFolder(parent);
    String work = parent + "/.ramet-copy-" + UUID.randomUUID();
    tree.makeFolder(work);
    try {
      // A folder that its owner cannot write to cannot be moved by them, so its mode comes last.
      send(source, "./tree", work, true);
      interruption.check();
      tree.move(work + "/tree", place);
      if (Files.isDirectory(source)) {
        send(source, "./" + GuestTree.name(place), parent, false);
      }
    } finally {
      tree.remove(work);
    }
  }

  /**
   * Sends an archive.
   *
   * @param tree whether to send all below the source too; otherwise only the folder's own entry
   */
  private void send(Path source, String name, String folder, boolean tree) throws IOException {
    TreePacker packer = new TreePacker(source, name, this::leftOut);
    try (GuestTar tar =
        GuestTar.start(guest, true, "-x", "-o", "-p", "-f", "-", "-C", absolute(folder))) {
      interruption.ends(tar);
      // It may write errors, and must not wait for somebody to read them.
      CompletableFuture<Void> end = CompletableFuture.runAsync(tar::finish);
      RametException broken = null;
      try (OutputStream pieces = new BufferedOutputStream(tar.input(), PIECE)) {
        if (tree) {
          packer.pack(pieces);
        } else {
          packer.packRoot(pieces);
        }
      } catch (RametException e) {
        broken = e; // tar has ended, and its status says why
      }
      try {
        end.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RametException failed ? failed : e;
      }
      rethrow(broken);
    }
    close(packer.closed(), absolute(folder));
  }

  /** Sets modes that the tar in the guest may have left out. */
  private void close(Map<String, Integer> modes, String folder) {
    for (Map.Entry<String, Integer> mode : modes.entrySet()) {
      String octal = Integer.toOctalString(mode.getValue());
      String path = folder + "/" + mode.getKey();
      try (GuestTar chmod = GuestTar.startProgram(guest, "chmod", List.of(octal, path))) {
        chmod.finish();
      }
    }
  }

  private static void rethrow(@Nullable RametException broken) {
    if (broken != null) {
      throw broken;
    }
  }

  /** Returns the absolute path of a folder that exists in the guest. */
  private String absolute(String folder) {
    GuestTree.Entry found = new GuestTree(guest).find(folder);
    return found == null ? folder : found.path();
  }
}
