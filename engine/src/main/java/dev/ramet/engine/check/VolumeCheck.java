// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.check;

import dev.ramet.engine.state.RootContents;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.volume.VolumeStore;
import dev.ramet.files.FileTrees;
import java.io.IOException;
import java.nio.file.Path;

/** Checks the shared volumes, but not the files in them, which belong to their users. */
final class VolumeCheck {
  private final RootContents holdings;
  private final FindingCollector findings;

  VolumeCheck(RootContents holdings, FindingCollector findings) {
    this.holdings = holdings;
    this.findings = findings;
  }

  void run() throws IOException {
    for (Path path : FileTrees.children(holdings.layout().sharedVolumes())) {
      String name = String.valueOf(path.getFileName());
      if (VolumeStore.isUnfinished(name)) {
        if (!findings.isYoung(path)) {
          findings.leftover(
              path,
              "a volume that was half-made or half-deleted",
              FindingCollector.bytesOf(path),
              () -> FileTrees.delete(path));
        }
      } else if (!Ids.isId(name)) {
        findings.foreign(path, "not a volume");
      } else {
        try {
          VolumeStore.read(path);
        } catch (IOException e) {
          findings.damage(path, "the volume's manifest cannot be read: " + e.getMessage());
        }
      }
    }
  }
}
