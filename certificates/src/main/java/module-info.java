// SPDX-License-Identifier: Apache-2.0
/**
 * TLS certificates: authorities that sign them, and the certificates that a host issues itself or
 * is given.
 */
module dev.ramet.certificates {
  requires transitive dev.ramet.errors;
  requires dev.ramet.files;
  requires com.github.benmanes.caffeine;
  requires static transitive org.jspecify;

  exports dev.ramet.certificates;

  opens dev.ramet.certificates to
      com.fasterxml.jackson.databind;
}
