// SPDX-License-Identifier: Apache-2.0
/** The conformance kit: base classes for a plugin's tests that verify its contract. */
module dev.ramet.tck {
  requires transitive dev.ramet.spi;
  requires transitive org.junit.jupiter.api;
  requires static transitive org.jspecify;

  exports dev.ramet.tck;
  exports dev.ramet.tck.hypervisor;
  exports dev.ramet.tck.memory;
  exports dev.ramet.tck.reference;
  exports dev.ramet.tck.reference.micro;
  exports dev.ramet.tck.reference.remote;
  exports dev.ramet.tck.storage;
  exports dev.ramet.tck.storage.check;
  exports dev.ramet.tck.storage.crash;
  exports dev.ramet.tck.support;

  // JUnit calls test methods that are not public.
  opens dev.ramet.tck to
      org.junit.platform.commons;
  opens dev.ramet.tck.hypervisor to
      org.junit.platform.commons;
  opens dev.ramet.tck.memory to
      org.junit.platform.commons;
  opens dev.ramet.tck.storage.check to
      org.junit.platform.commons;
  opens dev.ramet.tck.storage.crash to
      org.junit.platform.commons;
}
