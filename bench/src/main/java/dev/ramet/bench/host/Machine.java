// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import dev.ramet.api.sandbox.SandboxInfo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox's machine as described by its process's command line.
 *
 * @param pid the process
 * @param directory the machine's directory
 * @param root the engine's root: a sandbox's machine is in {@code sandboxes/ID/vm-N} below it
 * @param image the memory image it was restored from
 */
public record Machine(long pid, Path directory, Path root, Path image) {
  /** The files that a restore starts from. */
  public record Saved(Path devices, Path disk) {}

  /** Returns the machine of a running sandbox. */
  public static Machine of(SandboxInfo sandbox) throws IOException {
    long pid = Objects.requireNonNull(sandbox.hypervisorPid(), "no hypervisor runs");
    List<String> arguments = Procfs.arguments(pid);
    Path directory = parent(Path.of(value(arguments, "-pidfile")));
    String memory = value(arguments, "-object");
    String key = "\"mem-path\":\"";
    int start = memory.indexOf(key);
    if (start < 0) {
      throw new IOException("not restored from an image: " + memory);
    }
    start += key.length();
    Path image = Path.of(memory.substring(start, memory.indexOf('"', start)));
    return new Machine(pid, directory, parent(parent(parent(directory))), image);
  }

  /** Returns the address of a guest port that bypasses the host. */
  static InetSocketAddress forwarded(SandboxInfo sandbox, int guestPort) throws IOException {
    long pid = Objects.requireNonNull(sandbox.hypervisorPid(), "no hypervisor runs");
    Matcher rule =
        Pattern.compile("hostfwd=tcp:([0-9.]+):([0-9]+)-:" + guestPort + "(,|$)")
            .matcher(value(Procfs.arguments(pid), "-netdev"));
    if (!rule.find()) {
      throw new IOException("port " + guestPort + " of the guest is not forwarded");
    }
    return InetSocketAddress.createUnresolved(rule.group(1), Integer.parseInt(rule.group(2)));
  }

  /** Returns a directory for the benchmarks on the file system of the engine's root. */
  public Path scratch() throws IOException {
    return Files.createDirectories(root.resolve("bench"));
  }

  /** Returns the paths of a snapshot's parts in the engine's root. */
  public Saved saved(String snapshot) throws IOException {
    Path name = Path.of(snapshot + ".disk");
    try (Stream<Path> files = Files.walk(root.resolve("volumes"), 2)) {
      Path disk =
          files
              .filter(file -> name.equals(file.getFileName()) && Files.isRegularFile(file))
              .findFirst()
              .orElseThrow(() -> new IOException("no disk of " + snapshot + " in " + root));
      return new Saved(root.resolve("snapshots").resolve(snapshot).resolve("devices"), disk);
    }
  }

  private static Path parent(@Nullable Path path) {
    return Objects.requireNonNull(Objects.requireNonNull(path).getParent());
  }

  private static String value(List<String> arguments, String option) throws IOException {
    int at = arguments.indexOf(option);
    if (at < 0 || at + 1 >= arguments.size()) {
      throw new IOException("the hypervisor was started without " + option);
    }
    return arguments.get(at + 1);
  }
}
