// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

/** The format of a guest kernel's file. Later versions may add formats. */
public enum KernelFormat {
  /** A compressed image with a setup header, as distributions install it (x86 boot protocol). */
  BZIMAGE,
  /** An uncompressed ELF file, {@code vmlinux}. */
  ELF
}
