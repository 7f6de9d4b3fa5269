// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.state.HostSecret;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.files.JsonFile;
import dev.ramet.spi.hypervisor.GuestSecret;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The secrets by which the host proves itself to the agent of a machine that is started. Each
 * machine has its own secret, which its guest gets from the hypervisor. A restored guest has its
 * snapshot's secret in memory. If its agent cannot see that the hypervisor hands over a new one,
 * the host proves itself once with the snapshot's secret in order to replace it.
 *
 * @param shown the secret the agent knows already; null if it knows none
 * @param own the machine's secret; null if its agent cannot have one
 */
record HostProof(@Nullable HostSecret shown, @Nullable HostSecret own) {
  /** No proof, for an agent that cannot tell its host from others. */
  static final HostProof NONE = new HostProof(null, null);

  /**
   * Constant length of the item handed over: a guest kernel that read the item of the saved machine
   * reads as many bytes of the next machine's item.
   */
  private static final int HANDED_OVER_BYTES = 256;

  /**
   * Creates the proof for a machine that is started from a source.
   *
   * @param warm whether it is restored rather than booted
   * @param handedOver whether the hypervisor gives guests secrets
   */
  static HostProof forMachine(SnapshotRecord source, boolean warm, boolean handedOver) {
    HostSecret known = source.hostSecret();
    if (source.agentPort() == null || (warm ? known == null : !handedOver)) {
      return NONE;
    }
    HostSecret own = HostSecret.random();
    return new HostProof(warm ? known : own, own);
  }

  /**
   * Returns the item that the hypervisor gives the guest, so that secret and token are valid from
   * the agent's first moment, and again when the guest restarts by itself.
   *
   * @param token the token that the agent demands from every client, or null for none
   */
  static GuestSecret handedOver(HostSecret secret, @Nullable String token) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("hostSecret", secret.value());
    if (token != null) {
      all.put("accessToken", token);
    }
    String text = new String(JsonFile.bytes(all), StandardCharsets.US_ASCII);
    return new GuestSecret(text + " ".repeat(Math.max(0, HANDED_OVER_BYTES - text.length())));
  }
}
