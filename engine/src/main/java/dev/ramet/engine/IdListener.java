// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;

/**
 * Receives the ids that a call is about to assign, before anything with those ids exists. If the
 * host is killed during the call, the ids show its outcome: either everything with these ids exists
 * and is complete, or nothing does. A listener is called on the calling thread, at most once for
 * each thing that is made.
 */
@FunctionalInterface
public interface IdListener {
  /** Ignores the ids. */
  IdListener NONE = ids -> {};

  /**
   * Called before anything is made; an exception from it fails the call.
   *
   * @param ids ids of sandboxes, or of one snapshot, template, volume or secret
   */
  void assigning(List<String> ids);
}
