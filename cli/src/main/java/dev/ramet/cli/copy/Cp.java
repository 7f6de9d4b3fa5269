// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import dev.ramet.agent.Content;
import dev.ramet.agent.Guest;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.HostedGuest;
import dev.ramet.cli.term.Progress;
import dev.ramet.cli.tty.AtEnd;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that copies files and folders into or out of a sandbox. */
@Command(
    name = "cp",
    aliases = "copy",
    description = {
      "Copies a file, or with -r a folder. One side is ID:/path; - means standard input or output.",
      "A target that ends in / is a folder. A file is replaced atomically. Folders keep modes, times"
          + " and links; owners become the user's."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox cp notes.txt ID:/root/",
      "  ramet sandbox cp ID:/var/log/messages -",
      "  ramet sandbox cp - ID:/root/data < data",
      "  ramet sandbox cp -r project ID:/srv          # becomes /srv/project if /srv exists",
      "  ramet sandbox cp -r ID:/srv/project/. copy   # what is in the folder"
    })
public final class Cp extends ApiCommand {
  @Parameters(index = "0", paramLabel = "SOURCE", description = "The file to copy.")
  private String source = "";

  @Parameters(index = "1", paramLabel = "TARGET", description = "Where to copy it to.")
  private String target = "";

  @Option(
      names = {"-r", "--recursive"},
      description = "Copy a folder and all below it.")
  private boolean recursive;

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "The user who reads or owns the file; the guest's default user unless given.")
  private @Nullable String user;

  Cp(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) throws IOException {
    Location from = Location.parse(source);
    Location to = Location.parse(target);
    if ((from.sandbox() == null) == (to.sandbox() == null)) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "one side must be in a sandbox: " + source + " " + target,
          "write a path in a sandbox as ID:/path, and a local name with a colon as ./name",
          null);
    }
    Progress progress = context().progress("Copying " + source);
    try {
      if (recursive) {
        copyTree(client, from, to);
      } else if (to.sandbox() != null) {
        upload(HostedGuest.of(client, to.sandbox(), user), from.path(), to.path());
      } else if (from.sandbox() != null) {
        download(new Download(client, from.sandbox(), user), from.path(), to.path());
      }
    } finally {
      progress.close();
    }
    return 0;
  }

  private void copyTree(Client client, Location from, Location to) throws IOException {
    if (from.path().equals("-") || to.path().equals("-")) {
      throw RametException.invalid("-r", "does not go with standard input or output");
    }
    try (Interruption interruption = new Interruption(context().err()::println)) {
      if (to.sandbox() != null) {
        new TreeCopy(context(), HostedGuest.of(client, to.sandbox(), user), interruption)
            .upload(from.path(), to.path());
      } else if (from.sandbox() != null) {
        new TreeCopy(context(), HostedGuest.of(client, from.sandbox(), user), interruption)
            .download(from.path(), to.path());
      }
    }
  }

  private void upload(Guest guest, String local, String remote) throws IOException {
    byte[] answer;
    if (local.equals("-")) {
      answer = guest.write(inFolder(remote, "stdin"), Content.of(context().in(), -1));
    } else {
      Path file = Path.of(local);
      if (Files.isDirectory(file)) {
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT, local + " is a folder", "copy it with -r", null);
      }
      String path = inFolder(remote, String.valueOf(file.toAbsolutePath().getFileName()));
      try (InputStream in = Files.newInputStream(file)) {
        long length = Files.isRegularFile(file) ? Files.size(file) : -1;
        answer = guest.write(path, Content.of(in, length));
      }
    }
    if (json()) {
      context().json(answer);
    }
  }

  private void download(Download from, String remote, String local) throws IOException {
    long bytes;
    if (local.equals("-")) {
      from.copy(remote, context().bytes());
      context().bytes().flush();
      return;
    }
    Path file = Path.of(local);
    String name = String.valueOf(Path.of(remote).getFileName());
    if (Files.isDirectory(file) || local.endsWith("/")) {
      Files.createDirectories(file);
      file = file.resolve(name);
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || (Files.exists(file) && !Files.isRegularFile(file))) {
      try (OutputStream out = Files.newOutputStream(file)) { // a device or fifo
        bytes = from.copy(remote, out);
      }
    } else {
      bytes = replace(from, remote, file, folder);
    }
    if (json()) {
      context().out().println(String.format(Locale.ROOT, "{\"bytes\":%d}", bytes));
    }
  }

  private static long replace(Download from, String remote, Path file, Path folder)
      throws IOException {
    Path part = folder.resolve("." + file.getFileName() + "." + ProcessHandle.current().pid());
    try (AtEnd cleanup = new AtEnd(() -> discard(part))) {
      long bytes;
      try (OutputStream out = Files.newOutputStream(part)) {
        bytes = from.copy(remote, out);
      }
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      return bytes;
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static void discard(Path part) {
    try {
      Files.deleteIfExists(part);
    } catch (IOException e) {
      // The process ends; there is nobody to tell.
    }
  }

  private static String inFolder(String remote, String name) {
    return remote.endsWith("/") ? remote + name : remote;
  }

  /**
   * One side of a copy.
   *
   * @param sandbox the sandbox, or null for this machine
   * @param path the path there
   */
  record Location(@Nullable String sandbox, String path) {
    /** Parses {@code ID:/path}, {@code -} or a local path. */
    static Location parse(String text) {
      int colon = text.indexOf(':');
      if (colon > 0 && text.substring(0, colon).chars().allMatch(Location::isIdCharacter)) {
        if (colon == text.length() - 1) {
          throw RametException.invalid(text, "a path must follow the colon");
        }
        return new Location(text.substring(0, colon), text.substring(colon + 1));
      }
      return new Location(null, text);
    }

    private static boolean isIdCharacter(int c) {
      return (c >= 'a' && c <= 'z')
          || (c >= 'A' && c <= 'Z')
          || (c >= '0' && c <= '9')
          || c == '-'
          || c == '_';
    }
  }
}
