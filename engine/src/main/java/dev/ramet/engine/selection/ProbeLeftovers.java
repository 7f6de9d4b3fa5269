// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.files.FileTrees;
import dev.ramet.spi.hypervisor.Hypervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Finds and removes what probes left in the roots when their host was ended: the scratch
 * directories of {@link PluginSelection}, perhaps with a machine that still runs in one, and the
 * trial files of storage backends.
 */
public final class ProbeLeftovers {
  private static final System.Logger LOG = System.getLogger(ProbeLeftovers.class.getName());

  /** The names that {@link ProbeScratch} makes from {@link #PREFIX}. */
  private static final Pattern SCRATCH = Pattern.compile("\\.probe-[0-9]{1,20}");

  private static final Pattern TRIAL =
      Pattern.compile("\\.ramet-probe-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-[a-z]{1,4})?");

  /** The prefix of scratch directories. */
  public static final String PREFIX = ".probe-";

  private ProbeLeftovers() {}

  /** Returns whether a probe gives such a name to the files it creates in a root. */
  static boolean isProbeName(String name) {
    return SCRATCH.matcher(name).matches() || TRIAL.matcher(name).matches();
  }

  /** Returns all such files in a root, whether or not their probe has ended. */
  public static List<Path> findIn(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path path : FileTrees.children(root)) {
      String name = String.valueOf(path.getFileName());
      boolean directory = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
      boolean file = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
      if ((directory && isProbeName(name)) || (file && TRIAL.matcher(name).matches())) {
        found.add(path);
      }
    }
    return found;
  }

  /**
   * Ends what still runs in there and removes it. If this fails, the remains stay, which costs only
   * their space, and a warning is logged.
   *
   * @return whether they are gone
   */
  public static boolean remove(Path remains, Hypervisor hypervisor) {
    try {
      hypervisor.reap(remains);
      FileTrees.delete(remains);
      LOG.log(System.Logger.Level.INFO, "removed, was left by a probe: {0}", remains);
      return true;
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot remove what a probe left: " + remains, e);
      return false;
    }
  }
}
