// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.core.Context;
import dev.ramet.engine.guest.AgentAccess;
import dev.ramet.engine.support.Errors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Waits until the programs that a template's guest starts are ready, before the guest is captured.
 * Thread-safe.
 */
public final class Readiness {
  // A database that is created at its first start takes minutes in an emulated guest.
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration ASK = Duration.ofSeconds(60);

  private Readiness() {}

  /**
   * Waits until the guest's programs are ready. Fails if the file system is full: then they may
   * never be, and the capture would fail.
   *
   * @param access the agent's credentials
   * @param starter what starts the programs, for people: {@code the image}
   * @param command what the template's author calls the readiness command, for people
   * @param again called after each check that finds it not ready; may throw to stop waiting
   * @throws RametException {@code NO_SPACE}; {@code INVALID_ARGUMENT} if it takes too long
   */
  public static void await(
      Context context,
      InetSocketAddress address,
      AgentAccess access,
      String starter,
      String command,
      Runnable again) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!context.agent().ready(address, access, ASK)) {
      if (System.nanoTime() - end > 0) {
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT,
            "what " + starter + " starts was not ready within " + LIMIT.toMinutes() + " minutes",
            "give another command that tells, as " + command,
            null);
      }
      Errors.requireRoom("cannot make a template", context.layout().root());
      again.run();
    }
  }
}
