// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volumes;

import dev.ramet.errors.RametException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A volume and its mount point in a sandbox. Immutable.
 *
 * @param volumeId id of the volume; null until it was looked up
 * @param name the volume's name, or its id if a request refers to it that way
 * @param path absolute path of the directory in the guest, created when absent
 */
public record VolumeMount(@Nullable String volumeId, String name, String path) {
  /** The largest number of mounts per sandbox. */
  public static final int MAX = 16;

  private static final int MAX_PATH_BYTES = 1024;
  private static final Set<String> TOP =
      Set.of("/", "/bin", "/sbin", "/lib", "/lib64", "/usr", "/etc", "/run");
  private static final List<String> KERNELS = List.of("/proc", "/sys", "/dev", "/.ramet");

  /** Creates a mount as a request specifies it, before the volume is looked up. */
  public VolumeMount(String name, String path) {
    this(null, name, path);
  }

  /** Returns this mount with the volume that was found. */
  public VolumeMount resolvedTo(Volume volume) {
    return new VolumeMount(volume.id(), volume.name(), path);
  }

  /**
   * Checks that a sandbox can have these mounts together.
   *
   * @throws RametException {@code INVALID_ARGUMENT} for paths that are not absolute and plain, that
   *     the guest's system needs itself, or that contain one another
   */
  public static List<VolumeMount> requireValid(List<VolumeMount> mounts) {
    if (mounts.size() > MAX) {
      throw RametException.invalid("volumeMounts", "must be at most " + MAX);
    }
    List<VolumeMount> all = new ArrayList<>();
    for (int i = 0; i < mounts.size(); i++) {
      VolumeMount mount = mounts.get(i);
      String field = "volumeMounts[" + i + "]";
      if (mount.name().isEmpty()) {
        throw RametException.invalid(field + ".name", "is required");
      }
      checkPath(field + ".path", mount.path());
      for (VolumeMount other : all) {
        if (isWithin(mount.path(), other.path()) || isWithin(other.path(), mount.path())) {
          throw RametException.invalid(
              field + ".path", "must not contain or lie inside " + other.path());
        }
      }
      all.add(mount);
    }
    return List.copyOf(all);
  }

  private static void checkPath(String field, String path) {
    if (!path.startsWith("/")) {
      throw RametException.invalid(field, "must be an absolute path");
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
      throw RametException.invalid(field, "must be at most " + MAX_PATH_BYTES + " bytes");
    }
    if (path.chars().anyMatch(c -> Character.isISOControl(c) || Character.isSurrogate((char) c))) {
      throw RametException.invalid(field, "must be plain text");
    }
    boolean own =
        TOP.contains(path) || KERNELS.stream().anyMatch(kernels -> isWithin(path, kernels));
    if (own) {
      throw RametException.invalid(field, "must not be " + path + ": the guest's system is there");
    }
    for (String part : path.substring(1).split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..")) {
        throw RametException.invalid(field, "must not have empty parts or the parts . and ..");
      }
      if (part.getBytes(StandardCharsets.UTF_8).length > 255) {
        throw RametException.invalid(field, "must have no part of more than 255 bytes");
      }
    }
  }

  private static boolean isWithin(String path, String directory) {
    return path.equals(directory) || path.startsWith(directory + "/");
  }
}
