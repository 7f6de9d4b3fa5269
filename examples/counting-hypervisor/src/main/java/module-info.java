// SPDX-License-Identifier: Apache-2.0
/** A driver of machines that count: the skeleton of a hypervisor plugin. */
module com.example.counting {
  requires dev.ramet.spi;

  provides dev.ramet.spi.hypervisor.HypervisorProvider with
      com.example.counting.CountingProvider;
}
