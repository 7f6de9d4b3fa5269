// SPDX-License-Identifier: Apache-2.0
/** What hosts and clients of Ramet share: records that cross the wire, and trust. */
module dev.ramet.api {
  requires transitive dev.ramet.errors;
  requires static transitive org.jspecify;

  exports dev.ramet.api;
}
