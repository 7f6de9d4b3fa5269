// SPDX-License-Identifier: Apache-2.0
/**
 * The Java client of Ramet hosts: sandboxes, snapshots, rollback, clone and fork, one call each.
 */
module dev.ramet.client {
  requires transitive dev.ramet.agent;
  requires transitive dev.ramet.api;
  requires static transitive org.jspecify;
  requires com.fasterxml.jackson.databind;
  requires java.net.http;

  exports dev.ramet.client;
}
