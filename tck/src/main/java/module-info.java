// SPDX-License-Identifier: Apache-2.0
/** The conformance kit: what a plugin's tests extend to show that it keeps its contract. */
module dev.ramet.tck {
  requires transitive dev.ramet.spi;
  requires transitive org.junit.jupiter.api;
  requires static transitive org.jspecify;

  exports dev.ramet.tck;

  // JUnit calls test methods that are not public.
  opens dev.ramet.tck to
      org.junit.platform.commons;
}
