// SPDX-License-Identifier: Apache-2.0
/** A client of Ramet hosts: sandboxes, snapshots, rollback, clone and fork as one call each. */
module dev.ramet.client {
  requires transitive dev.ramet.api;
  requires static transitive org.jspecify;
  requires com.fasterxml.jackson.databind;
  requires java.net.http;

  exports dev.ramet.client;
}
