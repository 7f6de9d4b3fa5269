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
      dev.ramet.egress,
      dev.ramet.engine,
      dev.ramet.memory;
  exports dev.ramet.linux.block to
      dev.ramet.backends.dmsnapshot;
  exports dev.ramet.linux.bpf to
      dev.ramet.egress;
  exports dev.ramet.linux.file to
      dev.ramet.backends,
      dev.ramet.backends.btrfs,
      dev.ramet.backends.dmsnapshot,
      dev.ramet.backends.reflinkxfs,
      dev.ramet.engine,
      dev.ramet.files,
      dev.ramet.memory;
  exports dev.ramet.linux.memory to
      dev.ramet.engine,
      dev.ramet.memory;
  exports dev.ramet.linux.process to
      dev.ramet.backends.dmsnapshot,
      dev.ramet.engine,
      dev.ramet.memory;
  exports dev.ramet.linux.tree to
      dev.ramet.engine;
}
