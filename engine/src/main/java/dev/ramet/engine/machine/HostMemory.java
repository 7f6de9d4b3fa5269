// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.process.MemInfo;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Compares the memory of guests with that of the machine they run on. A guest takes memory only
 * when it uses it, so more than is free can be given; more than there is cannot be used.
 * Thread-safe.
 */
public final class HostMemory {
  /** Whether guests may have more memory than the machine. */
  public static final Setting<Boolean> OVERCOMMIT =
      Setting.toggle(
          "ramet.overcommit",
          false,
          "Whether a sandbox may have more memory than this machine has. Its guest is killed if it"
              + " uses more than is free.");

  private static final int MIB_SHIFT = 20;
  private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

  private final boolean overcommit;
  private final Source source;

  /** Reads the memory of a machine. */
  interface Source {
    /** Returns the memory now. */
    MemInfo read() throws IOException;
  }

  HostMemory(boolean overcommit, Source source) {
    this.overcommit = overcommit;
    this.source = source;
  }

  /** Returns the memory of this machine. */
  public static HostMemory of(Settings settings) {
    return new HostMemory(settings.get(OVERCOMMIT), MemInfo::read);
  }

  /**
   * Refuses a guest that could never use its memory.
   *
   * @throws RametException {@code INVALID_ARGUMENT} with the limit of this machine
   */
  public void require(long memoryBytes) {
    long total = totalBytes();
    if (!overcommit && memoryBytes > total) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "memoryMB: must be at most "
              + (total >> MIB_SHIFT)
              + ", which is all that this machine has, not "
              + (memoryBytes >> MIB_SHIFT),
          "ask for less, or set " + OVERCOMMIT.key() + "=true on the host",
          null);
    }
  }

  /** Returns a warning if a guest may use more memory than is free now, or null. */
  public @Nullable String warning(long memoryBytes) {
    try {
      long free = Math.min(source.read().availableBytes(), totalBytes());
      return memoryBytes <= free
          ? null
          : "the sandbox may use "
              + (memoryBytes >> MIB_SHIFT)
              + " MiB of memory, and "
              + (free >> MIB_SHIFT)
              + " MiB are free on the host; if it uses more, the kernel kills it or another"
              + " program";
    } catch (IOException e) {
      return null;
    }
  }

  /** Returns the memory that this machine, or the control group of this process, has. */
  private long totalBytes() {
    try {
      return Math.min(source.read().totalBytes(), limitBytes());
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }

  /** Returns the lowest limit of this process's control groups, see cgroup-v2, memory.max. */
  private static long limitBytes() {
    long limit = Long.MAX_VALUE;
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
        if (line.startsWith("0::/")) {
          Path group = CGROUPS.resolve(line.substring("0::/".length()));
          for (; group != null && group.startsWith(CGROUPS); group = group.getParent()) {
            limit = Math.min(limit, limitBytes(group.resolve("memory.max")));
          }
        }
      }
    } catch (IOException e) {
      // No control groups, or of the older kind.
    }
    return limit;
  }

  private static long limitBytes(Path file) {
    try {
      String text = Files.readString(file).strip();
      return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
    } catch (IOException | NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }
}
