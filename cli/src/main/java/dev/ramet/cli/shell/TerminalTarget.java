// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.shell;

import dev.ramet.agent.Guest;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.HostedGuest;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import org.jspecify.annotations.Nullable;

/** The sandbox that a terminal is connected to. Thread-safe. */
final class TerminalTarget {
  private final Client client;
  private final String id;
  private final @Nullable String user;

  TerminalTarget(Client client, String id, @Nullable String user) {
    this.client = client;
    this.id = id;
    this.user = user;
  }

  String id() {
    return id;
  }

  /** Returns a new connection to its agent, whose access token may change with a rollback. */
  Guest guest() {
    return HostedGuest.of(client, id, user);
  }

  /**
   * Returns the machine that runs it, which changes when it is rolled back or resumed; null when it
   * may be resumed by a request.
   *
   * @throws RametException CONFLICT if it is paused or failed
   */
  @Nullable Long machine() {
    SandboxInfo info = client.get("/sandboxes/" + Client.encode(id)).parse(SandboxInfo.class);
    if (info.state().equals("failed")) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "sandbox " + id + " has failed: " + info.stateDetail(),
          "see: ramet sandbox show " + id,
          null);
    }
    if (info.state().equals("paused")
        && (info.lifecycle() == null || !Boolean.TRUE.equals(info.lifecycle().autoResume()))) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "sandbox " + id + " is paused",
          "resume it with: ramet sandbox resume " + id,
          null);
    }
    return info.hypervisorPid();
  }
}
