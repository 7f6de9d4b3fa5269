// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

/** Text from an untrusted guest. */
final class AgentText {
  private static final int MAX_CHARACTERS = 4000;

  private AgentText() {}

  /** Makes it safe to show: it is short and cannot control a terminal. */
  static String sanitize(String text) {
    return text.substring(0, Math.min(text.length(), MAX_CHARACTERS))
        .replaceAll("[\\p{Cntrl}&&[^\n]]", "?");
  }
}
