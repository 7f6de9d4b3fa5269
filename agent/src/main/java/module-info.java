// SPDX-License-Identifier: Apache-2.0
/**
 * The client of the agent inside guests: programs and files for everybody, and the orders that only
 * a machine's own host may give.
 */
module dev.ramet.agent {
  requires transitive dev.ramet.errors;
  requires static transitive org.jspecify;
  requires com.fasterxml.jackson.databind;
  requires transitive java.net.http;

  exports dev.ramet.agent;
  exports dev.ramet.agent.host;
  exports dev.ramet.agent.workspace;
}
