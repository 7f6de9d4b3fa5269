// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import dev.ramet.errors.RametException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The way to one guest's agent: it connects, adds credentials and puts errors into the words of its
 * users. Thread-safe.
 */
public interface Route {
  /**
   * Sends a call and returns the whole body of its successful response.
   *
   * @throws RametException the error of any other response, or of the connection
   */
  byte[] request(Call call);

  /**
   * Sends a call and returns the body of its successful response while it arrives.
   *
   * @throws RametException the error of any other response, or of the connection
   */
  Answer open(Call call);

  /** Returns the error for a response that cannot be read to its end. */
  RametException incompleteResponse(IOException e);

  /**
   * Returns the error for a program whose stream of events ended before the program.
   *
   * @param e why it cannot be read further; null if it ended properly
   */
  RametException streamEnded(@Nullable IOException e);

  /**
   * Returns the error with which an agent ended a stream of events.
   *
   * @param code an error code of the Connect protocol
   * @param message the agent's explanation
   */
  default RametException agentError(String code, String message) {
    return new RametException(AgentErrors.codeOfConnect(code), message);
  }
}
