// SPDX-License-Identifier: Apache-2.0
/**
 * Durable files: files replaced atomically, directory trees, and the errors of full file systems.
 */
module dev.ramet.files {
  requires transitive dev.ramet.errors;
  requires dev.ramet.linux;
  requires transitive com.fasterxml.jackson.databind;
  requires com.fasterxml.jackson.datatype.jsr310;
  requires static transitive org.jspecify;

  exports dev.ramet.files;
}
