// SPDX-License-Identifier: Apache-2.0
/** Records and error codes that cross the wire between the Ramet host and its clients. */
module dev.ramet.api {
  requires static transitive org.jspecify;

  exports dev.ramet.api;
}
