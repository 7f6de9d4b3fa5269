// SPDX-License-Identifier: Apache-2.0
/** Files that are always whole, trees of files, and file systems that are full. */
module dev.ramet.files {
  requires transitive dev.ramet.errors;
  requires dev.ramet.linux;
  requires transitive com.fasterxml.jackson.databind;
  requires com.fasterxml.jackson.datatype.jsr310;
  requires static transitive org.jspecify;

  exports dev.ramet.files;
}
