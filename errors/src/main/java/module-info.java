// SPDX-License-Identifier: Apache-2.0
/**
 * Ramet's errors: one exception with stable codes that say who must act. All other modules depend
 * on it.
 */
module dev.ramet.errors {
  requires static transitive org.jspecify;

  exports dev.ramet.errors;
}
