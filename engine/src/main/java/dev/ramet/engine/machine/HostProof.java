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
 * How the host proves itself to the agent of a machine that is started. Each machine has a secret
 * of its own, which its guest gets from the hypervisor. One that is restored has its snapshot's in
 * memory; where its agent cannot see that the hypervisor hands over another, the host proves itself
 * once more with the snapshot's to replace it.
 *
 * @param shown what the agent is to know already; null when it knows none
 * @param own the machine's; null when its agent cannot have one
 */
record HostProof(@Nullable HostSecret shown, @Nullable HostSecret own) {
  /** Of an agent that cannot tell its host from others. */
  static final HostProof NONE = new HostProof(null, null);

  /**
   * As long whatever is in it: a guest's kernel that showed an item of the machine that was saved
   * shows as many bytes of the next one's.
   */
  private static final int HANDED_OVER_BYTES = 256;

  /**
   * For a machine that is started from a source.
   *
   * @param warm whether it is restored rather than booted
   * @param handedOver whether the hypervisor gives guests secrets
   */
  static HostProof of(SnapshotRecord source, boolean warm, boolean handedOver) {
    HostSecret known = source.hostSecret();
    if (source.agentPort() == null || (warm ? known == null : !handedOver)) {
      return NONE;
    }
    HostSecret own = HostSecret.next();
    return new HostProof(warm ? known : own, own);
  }

  /**
   * What the hypervisor gives the guest, so that both hold from the agent's first moment, and again
   * when the guest restarts by itself.
   *
   * @param token what the agent is to ask everybody for, or null for nothing
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
