// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi;

import java.util.Map;

/** The outcome of a probe: the plugin works here, cannot work here, or the probe itself failed. */
public sealed interface ProbeResult {
  /**
   * Key of the evidence that says why a usable plugin is slower or less capable here than it could
   * be, and what would change that.
   */
  String LIMITATION = "limitation";

  /**
   * The plugin works here.
   *
   * @param facts what is true of the plugin here, of the type that its kind of plugin has; never
   *     better than {@link Provider#atBest}
   * @param evidence the observations that prove it, by name, for people to read
   */
  record Usable(Facts facts, Map<String, String> evidence) implements ProbeResult {
    /** Copies the evidence. */
    public Usable {
      evidence = Map.copyOf(evidence);
    }
  }

  /**
   * The plugin cannot work here, which is not a defect.
   *
   * @param reason a short phrase for a table
   * @param detail what was tried and what the host answered
   * @param remedy what the operator can do to make it usable
   * @param noRoom true if the only reason is a full file system. Existing data may still be opened
   *     then, because room is made by deleting some of it
   */
  record Unusable(String reason, String detail, String remedy, boolean noRoom)
      implements ProbeResult {
    /** Creates a result for a reason other than a full file system. */
    public Unusable(String reason, String detail, String remedy) {
      this(reason, detail, remedy, false);
    }
  }

  /**
   * The probe itself failed: a defect of the plugin or an unexpected behaviour of the host.
   *
   * @param cause the exception or error thrown
   */
  record Failed(Throwable cause) implements ProbeResult {}
}
