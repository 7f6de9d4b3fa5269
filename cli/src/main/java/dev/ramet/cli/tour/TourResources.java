// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tour;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the objects that the tour created on the host, deletes them, and measures their costs.
 * Thread-safe.
 */
final class TourResources {
  /** The metadata key that marks the tour's first sandbox. */
  static final String MARK = "ramet.tour";

  private static final int ROUNDS = 60;
  private static final long ROUND_MILLIS = 500;

  private final Client client;
  private final String run;
  private volatile @Nullable String source;

  TourResources(Client client, String run) {
    this.client = client;
    this.run = run;
  }

  void source(String sandbox) {
    source = sandbox;
  }

  /**
   * Deletes everything the tour created. A request of this tour may still be running on the host
   * and create more, so this repeats until nothing is left.
   *
   * @return whether nothing is left
   */
  boolean delete() {
    for (int round = 0; round < ROUNDS; round++) {
      try {
        List<String> sandboxes = sandboxes();
        for (String id : sandboxes) {
          client.delete("/sandboxes/" + Client.encode(id));
        }
        List<String> snapshots = snapshots();
        for (String id : snapshots) {
          client.delete("/snapshots/" + Client.encode(id));
        }
        if (sandboxes.isEmpty() && snapshots.isEmpty()) {
          return true;
        }
      } catch (RametException e) {
        if (!pause()) { // perhaps busy; the last round decides
          return false;
        }
      }
    }
    return false;
  }

  private static boolean pause() {
    try {
      Thread.sleep(ROUND_MILLIS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private List<String> sandboxes() {
    List<String> ids = new ArrayList<>();
    for (SandboxInfo s : Json.read(client.getAllPages("/v2/sandboxes"), SandboxInfo[].class)) {
      boolean marked = s.metadata() != null && run.equals(s.metadata().get(MARK));
      String origin = source;
      if (marked
          || s.sandboxID().equals(origin)
          || (s.parentID() != null && s.parentID().equals(origin))) {
        ids.add(s.sandboxID());
      }
    }
    return ids;
  }

  private List<String> snapshots() {
    List<String> ids = new ArrayList<>();
    String origin = source;
    if (origin != null) {
      byte[] list = client.getAllPages("/snapshots?sandboxID=" + Client.encode(origin));
      for (SnapshotInfo s : Json.read(list, SnapshotInfo[].class)) {
        ids.add(s.snapshotID());
      }
    }
    return ids;
  }

  /**
   * Returns the used bytes of the host's data file system, or null when the host does not report
   * them.
   */
  @Nullable Long diskUse() {
    JsonNode used = Json.tree(client.get("/doctor").body()).path("host").path("storage.usedBytes");
    try {
      return used.isMissingNode() || used.isNull() ? null : Long.valueOf(used.asText());
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /**
   * Returns the bytes of memory that are private to a process: the sum of {@code Anonymous} over
   * its mappings, see proc_pid_smaps(5).
   *
   * @return the bytes, or null if the process is not on this machine or not visible
   */
  static @Nullable Long anonymousBytes(@Nullable Long pid) {
    if (pid == null) {
      return null;
    }
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
        if (line.startsWith("Anonymous:")) {
          return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
        }
      }
    } catch (IOException | NumberFormatException e) {
      return null;
    }
    return null;
  }
}
