// SPDX-License-Identifier: Apache-2.0
/** The hypervisor drivers, one package each. */
module dev.ramet.hypervisors {
  requires transitive dev.ramet.spi;
  requires com.fasterxml.jackson.databind;

  exports dev.ramet.hypervisors.qemu;

  provides dev.ramet.spi.hypervisor.HypervisorProvider with
      dev.ramet.hypervisors.qemu.QemuProvider;
}
