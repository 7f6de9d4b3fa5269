// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.files.FileTrees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads what a root has of a kind when the root is opened. */
final class ManifestScanner {
  private static final System.Logger LOG = System.getLogger(ManifestScanner.class.getName());

  private ManifestScanner() {}

  /** Takes in what a manifest says. */
  interface Reading {
    /** Takes one in; whoever calls this goes on when it cannot be read. */
    void read(Entry entry) throws IOException;
  }

  /**
   * Has all manifests read, and removes what was half-made or half-deleted. What is damaged or not
   * Ramet's is reported and kept.
   *
   * @param kind what they are, for people
   * @return those that are damaged
   */
  static List<Entry> load(List<Entry> entries, String kind, Reading reading) {
    List<Entry> broken = new ArrayList<>();
    for (Entry entry : entries) {
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
                System.Logger.Level.WARNING, "broken " + kind + " left alone: " + entry.path(), e);
            broken.add(entry);
          }
        }
      }
    }
    return broken;
  }

  /**
   * Has all manifests read that can be, and changes nothing.
   *
   * @param kind what they are, for people
   * @return those that are damaged
   */
  static List<Entry> look(List<Entry> entries, String kind, Reading reading) {
    List<Entry> broken = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.kind() == Entry.Kind.OWN) {
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
