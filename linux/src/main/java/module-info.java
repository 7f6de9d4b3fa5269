// SPDX-License-Identifier: Apache-2.0
/** The only native code: system calls that copy-on-write and memory capture need. */
module dev.ramet.linux {
  requires com.sun.jna;
  requires static transitive org.jspecify;

  exports dev.ramet.linux to
      dev.ramet.backends,
      dev.ramet.backends.btrfs,
      dev.ramet.backends.dmsnapshot,
      dev.ramet.backends.reflinkxfs,
      dev.ramet.engine,
      dev.ramet.hypervisors,
      dev.ramet.memory;
}
