// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.core.Context;
import dev.ramet.engine.guest.AgentAccess;
import dev.ramet.engine.support.Errors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Waits for what a template's guest starts, before it is captured. Thread-safe. */
public final class Readiness {
  // A database that is made at the first start takes minutes where guests are emulated.
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration ASK = Duration.ofSeconds(60);

  private Readiness() {}

  /**
   * Waits until it is ready; not on a full file system, where its guest may never be, and what it
   * has would not be captured.
   *
   * @param access what the agent asks for
   * @param starter what starts it, for people: {@code the image}
   * @param command how its maker calls the command that tells, for people
   * @param again called whenever it is not ready yet; what it throws ends the waiting
   * @throws RametException {@code NO_SPACE}; {@code INVALID_ARGUMENT} when it takes too long
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
