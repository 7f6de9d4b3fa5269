// SPDX-License-Identifier: Apache-2.0
/** What hosts and clients of Ramet share: records that cross the wire, and trust. */
module dev.ramet.api {
  requires transitive dev.ramet.errors;
  requires static transitive org.jspecify;

  exports dev.ramet.api.host;
  exports dev.ramet.api.operation;
  exports dev.ramet.api.sandbox;
  exports dev.ramet.api.secret;
  exports dev.ramet.api.snapshot;
  exports dev.ramet.api.storage;
  exports dev.ramet.api.template;
  exports dev.ramet.api.volume;
}
