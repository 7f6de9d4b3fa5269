// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

/** The technology that executes guest code. */
enum Accelerator {
  KVM("kvm", "kvm", "host"),
  /**
   * The emulator. It keeps translated code in a buffer that otherwise grows to 1 GiB; 128 MiB holds
   * what a busy guest uses and bounds what a hundred clones take. {@code cx16=off}: with two or
   * more vCPUs QEMU 7.2 can corrupt flags in cmpxchg16b, and Linux then panics.
   */
  TCG("tcg", "tcg,tb-size=128,thread=multi", "max,cx16=off");

  private final String id;
  private final String option;
  private final String cpu;

  Accelerator(String id, String option, String cpu) {
    this.id = id;
    this.option = option;
    this.cpu = cpu;
  }

  /** Name in settings, capabilities and identities. */
  String id() {
    return id;
  }

  /** Value of {@code -accel}. */
  String option() {
    return option;
  }

  /** Value of {@code -cpu}. */
  String cpu() {
    return cpu;
  }
}
