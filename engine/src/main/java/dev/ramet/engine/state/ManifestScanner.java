// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.files.FileTrees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads all manifests of one kind when a root is opened. */
final class ManifestScanner {
  private static final System.Logger LOG = System.getLogger(ManifestScanner.class.getName());

  private ManifestScanner() {}

  /** Loads one manifest. */
  interface Reader {
    /** Loads the manifest of an entry; the caller continues with the others when it throws. */
    void read(StateEntry entry) throws IOException;
  }

  /**
   * Loads all manifests, and removes half-created and half-deleted entries. Damaged and foreign
   * entries are logged and kept.
   *
   * @param kind the kind of entry, for people
   * @return the damaged entries
   */
  static List<StateEntry> load(List<StateEntry> entries, String kind, Reader reading) {
    List<StateEntry> broken = new ArrayList<>();
    for (StateEntry entry : entries) {
      switch (entry.kind()) {
        case UNFINISHED -> {
          LOG.log(System.Logger.Level.INFO, "removing unfinished {0}", entry.path());
          FileTrees.delete(entry.path());
        }
        case FOREIGN ->
            LOG.log(System.Logger.Level.WARNING, "foreign file left alone: {0}", entry.path());
        case OWN -> {
          try {
            reading.read(entry);
          } catch (IOException e) {
            LOG.log(
                System.Logger.Level.WARNING, "damaged " + kind + " left alone: " + entry.path(), e);
            broken.add(entry);
          }
        }
      }
    }
    return broken;
  }

  /**
   * Loads all readable manifests, and changes nothing on disk.
   *
   * @param kind the kind of entry, for people
   * @return the damaged entries
   */
  static List<StateEntry> scanReadOnly(List<StateEntry> entries, String kind, Reader reading) {
    List<StateEntry> broken = new ArrayList<>();
    for (StateEntry entry : entries) {
      if (entry.kind() == StateEntry.Kind.OWN) {
        try {
          reading.read(entry);
        } catch (IOException e) {
          LOG.log(System.Logger.Level.DEBUG, "broken " + kind + ": " + entry.path(), e);
          broken.add(entry);
        }
      }
    }
    return broken;
  }
}
