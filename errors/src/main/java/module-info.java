// SPDX-License-Identifier: Apache-2.0
/** What goes wrong: one exception, its codes, and who must act. Everything rests on it. */
module dev.ramet.errors {
  requires static transitive org.jspecify;

  exports dev.ramet.errors;
}
