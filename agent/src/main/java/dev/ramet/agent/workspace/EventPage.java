// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import java.util.List;

/**
 * Some events of a workspace.
 *
 * @param stream a name that changes when numbers begin at 1 again
 * @param last number of the newest event that the agent had
 * @param events in the order of their numbers
 */
public record EventPage(String stream, long last, List<FileEvent> events) {
  /** Copies the list. */
  public EventPage {
    events = List.copyOf(events);
  }
}
