// SPDX-License-Identifier: Apache-2.0
/**
 * What hosts and clients of Ramet share: the records that cross the wire, and which hosts clients
 * trust. Record component names are the JSON names, so no mapping annotations are needed.
 *
 * <p>Both sides read leniently: they ignore unknown fields, and absent fields are null (switch
 * {@code FAIL_ON_UNKNOWN_PROPERTIES} off in your mapper). Both sides leave null fields out and keep
 * empty collections.
 */
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
