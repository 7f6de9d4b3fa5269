// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

import java.util.Map;
import java.util.Set;

/** What a probe found: the plugin works here, cannot work here, or broke while finding out. */
public sealed interface ProbeResult {
  /**
   * Key of the evidence that says why a usable plugin is slower or less able here than it could be,
   * and what would change that.
   */
  String LIMITATION = "limitation";

  /**
   * The plugin works here.
   *
   * @param capabilities what it can do beyond its contract's minimum, by name
   * @param evidence what was seen that proves it, as facts by name for people to read
   */
  record Usable(Set<String> capabilities, Map<String, String> evidence) implements ProbeResult {
    /** Copies both. */
    public Usable {
      capabilities = Set.copyOf(capabilities);
      evidence = Map.copyOf(evidence);
    }
  }

  /**
   * The plugin cannot work here, and that is no defect.
   *
   * @param reason a short phrase for a table
   * @param detail what was tried and what came back
   * @param remedy what the operator can do to make it usable
   * @param noRoom that is only because a file system is full, which is no reason not to open what
   *     was made before: it takes deleting in there to make room
   */
  record Unusable(String reason, String detail, String remedy, boolean noRoom)
      implements ProbeResult {
    /** For another reason than that a file system is full. */
    public Unusable(String reason, String detail, String remedy) {
      this(reason, detail, remedy, false);
    }
  }

  /**
   * The probe itself broke: a defect of the plugin or a surprise of the host.
   *
   * @param cause what was thrown
   */
  record Failed(Throwable cause) implements ProbeResult {}
}
