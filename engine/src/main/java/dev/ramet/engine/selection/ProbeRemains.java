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
 * What a host that was ended while it probed left in its roots: the scratch directories of {@link
 * Machinery}, perhaps with a machine that still runs in one, and what storage backends tried
 * themselves out with.
 */
public final class ProbeRemains {
  private static final System.Logger LOG = System.getLogger(ProbeRemains.class.getName());

  /** What {@link ProbeScratch} makes of {@link #PREFIX}. */
  private static final Pattern SCRATCH = Pattern.compile("\\.probe-[0-9]{1,20}");

  private static final Pattern TRIAL =
      Pattern.compile("\\.ramet-probe-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-[a-z]{1,4})?");

  /** What the name of a scratch directory begins with. */
  public static final String PREFIX = ".probe-";

  private ProbeRemains() {}

  /** Whether a name is one that a probe gives to what it makes in a root. */
  static boolean isNamed(String name) {
    return SCRATCH.matcher(name).matches() || TRIAL.matcher(name).matches();
  }

  /** All of it in a root, whether its probe is over or not. */
  public static List<Path> in(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path path : FileTrees.children(root)) {
      String name = String.valueOf(path.getFileName());
      boolean directory = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
      boolean file = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
      if ((directory && isNamed(name)) || (file && TRIAL.matcher(name).matches())) {
        found.add(path);
      }
    }
    return found;
  }

  /**
   * Ends what still runs in there and removes it. One that resists stays, which does no harm but to
   * the space it takes, and is told.
   *
   * @return whether it is gone
   */
  public static boolean clear(Path remains, Hypervisor hypervisor) {
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
