// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.wire.Json;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The load that a guest reports for itself. Immutable and thread-safe.
 *
 * @param cpuCount virtual CPUs
 * @param cpuUsedPercent CPU load since the previous request, where 100 means all CPUs were busy
 * @param memoryTotalBytes memory that the guest's kernel manages
 * @param memoryUsedBytes the part of it that is not available
 * @param memoryCacheBytes the part of it that caches file contents
 * @param diskTotalBytes size of the root file system
 * @param diskUsedBytes used bytes of the root file system
 * @param network bytes of its network since its boot; null if its agent is too old to count them
 */
public record GuestLoad(
    int cpuCount,
    double cpuUsedPercent,
    long memoryTotalBytes,
    long memoryUsedBytes,
    long memoryCacheBytes,
    long diskTotalBytes,
    long diskUsedBytes,
    @Nullable Network network) {
  /**
   * Bytes of a guest's network interfaces since its boot.
   *
   * @param receivedBytes bytes that the guest received
   * @param sentBytes bytes that the guest sent
   */
  public record Network(long receivedBytes, long sentBytes) {}

  /**
   * Parses an agent's response.
   *
   * @throws IOException if it is not JSON
   */
  static GuestLoad parse(byte[] json) throws IOException {
    JsonNode load = Json.tree(json);
    return new GuestLoad(
        load.path("cpu_count").asInt(),
        load.path("cpu_used_pct").asDouble(),
        load.path("mem_total").asLong(),
        load.path("mem_used").asLong(),
        load.path("mem_cache").asLong(),
        load.path("disk_total").asLong(),
        load.path("disk_used").asLong(),
        load.has("net_rx")
            ? new Network(load.path("net_rx").asLong(), load.path("net_tx").asLong())
            : null);
  }
}
