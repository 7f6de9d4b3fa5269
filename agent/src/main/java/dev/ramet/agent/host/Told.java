// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

/** Text from an untrusted guest. */
final class Told {
  private static final int MOST = 4000;

  private Told() {}

  /** Makes it safe to show: it is short and cannot control a terminal. */
  static String safe(String text) {
    return text.substring(0, Math.min(text.length(), MOST)).replaceAll("[\\p{Cntrl}&&[^\n]]", "?");
  }
}
