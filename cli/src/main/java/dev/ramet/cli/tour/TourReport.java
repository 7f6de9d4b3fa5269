// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tour;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.cli.http.Json;
import org.jspecify.annotations.Nullable;

/**
 * The tour's measurements and checks as JSON, for other programs. Every part exists from the
 * beginning; parts not reached are null. Not thread-safe.
 */
final class TourReport {
  private final ObjectNode root = Json.mapper().createObjectNode();
  private final ArrayNode steps;
  private final ArrayNode checks;
  private boolean good = true;

  TourReport() {
    root.putNull("host");
    steps = root.putArray("steps");
    root.putNull("snapshot");
    root.putNull("rollback");
    root.putNull("clone");
    checks = root.putArray("checks");
  }

  void host(JsonNode doctor) {
    root.set("host", doctor);
  }

  void step(String name, double ms, String detail) {
    steps.addObject().put("name", name).put("ms", rounded(ms)).put("detail", detail);
  }

  void check(String name, boolean ok) {
    checks.addObject().put("name", name).put("ok", ok);
    good &= ok;
  }

  void snapshot(CaptureInfo capture) {
    root.putObject("snapshot")
        .put("pause_ms", capture.pauseMs())
        .put("total_ms", capture.totalMs())
        .put("memory_bytes_written", capture.memoryBytesWritten())
        .put("memory_bytes_total", capture.memoryBytesTotal())
        .put("mode", capture.mode())
        .put("mode_reason", capture.modeReason());
  }

  void rollback(double ms) {
    root.putObject("rollback").put("ms", rounded(ms));
  }

  void clone(int n, int concurrency, double ms, @Nullable Long disk, @Nullable Long anonymous) {
    root.putObject("clone")
        .put("n", n)
        .put("concurrency", concurrency)
        .put("total_ms", rounded(ms))
        .put("per_clone_ms", rounded(ms / n))
        .put("disk_bytes_added", disk)
        .put("anon_bytes_per_clone", anonymous);
  }

  /** Returns whether every check succeeded. */
  boolean good() {
    return good;
  }

  /** Returns the current report. */
  ObjectNode json() {
    return root;
  }

  private static double rounded(double ms) {
    return Math.round(ms * 1000) / 1000.0;
  }
}
