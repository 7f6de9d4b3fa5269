// SPDX-License-Identifier: Apache-2.0
/** API keys: creating, storing as digests in a file, and revoking. */
module dev.ramet.keys {
  requires transitive dev.ramet.errors;
  requires dev.ramet.files;
  requires com.fasterxml.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.ramet.keys;
}
