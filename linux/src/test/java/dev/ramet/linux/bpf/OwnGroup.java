// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import dev.ramet.linux.LinuxException;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A control group for this process. A socket belongs to the group that its process is in when it is
 * made, so the sockets of before {@link #enter} are not filtered.
 */
final class OwnGroup implements AutoCloseable {
  private final Path mount;
  private final boolean mounted;
  private final Path home;
  private final Path group;

  private OwnGroup(Path mount, boolean mounted, Path home) {
    this.mount = mount;
    this.mounted = mounted;
    this.home = home;
    group = home.resolve("ramet-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
  }

  /** Makes a group for which the kernel takes programs; a host without is not fit for the test. */
  static OwnGroup require() {
    try {
      OwnGroup made = make();
      try {
        EgressPrograms.attach(
                made.path(), InetAddress.getLoopbackAddress(), new EgressRules(), null)
            .close();
      } catch (LinuxException e) {
        made.close();
        boolean root = "root".equals(System.getProperty("user.name"));
        Require.feature("egress", root, String.valueOf(e.getMessage()));
        throw e;
      }
      return made;
    } catch (IOException e) {
      Require.feature("egress", false, String.valueOf(e.getMessage()));
      throw new UncheckedIOException(e);
    } catch (LinuxException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes a group; cgroup2 is mounted for it if it is nowhere. */
  static OwnGroup make() throws IOException, InterruptedException {
    Path there = mountPoint();
    Path mount = there == null ? Files.createTempDirectory("cgroup2") : there;
    if (there == null) {
      run("mount", "-t", "cgroup2", "none", mount.toString());
    }
    String own =
        Files.readAllLines(Path.of("/proc/self/cgroup")).stream()
            .filter(line -> line.startsWith("0::/"))
            .map(line -> line.substring("0::/".length()))
            .findFirst()
            .orElseThrow(() -> new IOException("no control groups of version 2"));
    OwnGroup made = new OwnGroup(mount, there == null, mount.resolve(own));
    try {
      Files.createDirectory(made.group);
      return made;
    } catch (IOException e) {
      made.close();
      throw e;
    }
  }

  private static @Nullable Path mountPoint() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
        .filter(line -> line.contains(" - cgroup2 "))
        .map(line -> Path.of(List.of(line.split(" ", -1)).get(4)))
        .findFirst()
        .orElse(null);
  }

  private static void run(String... command) throws IOException, InterruptedException {
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException(String.join(" ", command) + ": status " + status);
    }
  }

  Path path() {
    return group;
  }

  void enter() throws IOException {
    move(group);
  }

  private static void move(Path to) throws IOException {
    Files.writeString(to.resolve("cgroup.procs"), Long.toString(ProcessHandle.current().pid()));
  }

  @Override
  public void close() throws IOException, InterruptedException {
    move(home);
    Files.deleteIfExists(group);
    if (mounted) {
      run("umount", mount.toString());
      Files.delete(mount);
    }
  }
}
