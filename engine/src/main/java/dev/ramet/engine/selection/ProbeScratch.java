// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.files.DiskFullErrors;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.FullFileSystem;
import dev.ramet.linux.file.PathCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The scratch directory for probes of hypervisors and memory modes: in the data root, where the
 * plugins will work. If the data root is full, they probe elsewhere, because only a running host
 * can delete the data that fills it; a killed probe's files there are left to the operating system.
 */
final class ProbeScratch {
  private static final System.Logger LOG = System.getLogger(ProbeScratch.class.getName());

  /** More than all probes together write. */
  private static final long NEED_BYTES = 16 << 20;

  /** A file system in memory has space when the disk has none. */
  private static final List<Path> ELSEWHERE =
      List.of(Path.of(System.getProperty("java.io.tmpdir", "/tmp")), Path.of("/dev/shm"));

  private ProbeScratch() {}

  /** Creates a new scratch directory. */
  static Path make(Path dataRoot) throws IOException {
    FullFileSystem full = FullFileSystem.find(dataRoot, NEED_BYTES);
    if (full == null) {
      String name = ProbeLeftovers.PREFIX + ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
      Path directory = dataRoot.resolve(name);
      try {
        PathCalls.makeDirectory(directory, 0700);
        return directory;
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.ENOSPC && e.errno() != LinuxException.EDQUOT) {
          throw new IOException("cannot make " + directory + ": " + e.getMessage(), e);
        }
      }
    }
    return temporaryDirectory(dataRoot);
  }

  private static Path temporaryDirectory(Path dataRoot) throws IOException {
    for (Path place : ELSEWHERE) {
      if (Files.isWritable(place) && FullFileSystem.find(place, NEED_BYTES) == null) {
        LOG.log(
            System.Logger.Level.INFO,
            "probing in {0}: too little space left on {1}",
            place,
            FullFileSystem.findAt(dataRoot).describe());
        return Files.createTempDirectory(place, ProbeLeftovers.PREFIX);
      }
    }
    throw DiskFullErrors.error("cannot probe in " + dataRoot, dataRoot, null);
  }
}
