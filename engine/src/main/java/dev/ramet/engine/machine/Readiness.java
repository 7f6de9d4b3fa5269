// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.agent.host.Agent;
import dev.ramet.agent.host.AgentAccess;
import dev.ramet.engine.support.Errors;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Prepares a template's guest for its capture: waits until the programs that it starts are ready,
 * and has it settle. Thread-safe.
 */
public final class Readiness {
  // A database that is created at its first start takes minutes in an emulated guest.
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration ASK = Duration.ofSeconds(60);

  private final Agent agent;
  private final Path root;

  /**
   * Creates the waiting for guests of a root.
   *
   * @param root where templates are captured to
   */
  public Readiness(Agent agent, Path root) {
    this.agent = agent;
    this.root = root;
  }

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
  public void await(
      InetSocketAddress address,
      AgentAccess access,
      String starter,
      String command,
      Runnable again) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!agent.ready(address, access, ASK)) {
      if (System.nanoTime() - end > 0) {
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT,
            "the command that "
                + starter
                + " starts was not ready within "
                + LIMIT.toMinutes()
                + " minutes",
            "give another command to test readiness, as " + command,
            null);
      }
      Errors.requireRoom("cannot make a template", root);
      again.run();
    }
  }

  /**
   * Makes the guest write its dirty file data to disk and free memory, right before it is captured.
   */
  public void prepareForCapture(InetSocketAddress address, AgentAccess access) {
    agent.prepareForCapture(address, access, ASK);
  }
}
