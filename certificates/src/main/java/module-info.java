// SPDX-License-Identifier: Apache-2.0
/** Certificates: authorities that sign them, and those that a host makes or is given. */
module dev.ramet.certificates {
  requires transitive dev.ramet.errors;
  requires dev.ramet.files;
  requires com.github.benmanes.caffeine;
  requires static transitive org.jspecify;

  exports dev.ramet.certificates;

  opens dev.ramet.certificates to
      com.fasterxml.jackson.databind;
}
