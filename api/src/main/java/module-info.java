// SPDX-License-Identifier: Apache-2.0
/**
 * The wire types that Ramet's hosts and clients share, and the TLS trust settings of clients.
 * Record component names are the JSON names, so no mapping annotations are needed.
 *
 * <p>Both sides read leniently: they ignore unknown fields, and absent fields are null (disable
 * {@code FAIL_ON_UNKNOWN_PROPERTIES} in your mapper). Both sides omit null fields and keep empty
 * collections.
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
