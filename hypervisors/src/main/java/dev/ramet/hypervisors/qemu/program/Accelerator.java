// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

/** The means by which QEMU executes guest code. */
public enum Accelerator {
  KVM("kvm", "kvm", "host"),
  /**
   * The emulator. Its buffer of translated code would otherwise grow to 1 GiB; 128 MiB holds the
   * code of a busy guest and bounds the memory of a hundred clones. {@code cx16=off}: with two or
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

  /** Returns the name used in settings, capabilities and identities. */
  public String id() {
    return id;
  }

  /** Returns the value of {@code -accel}. */
  public String option() {
    return option;
  }

  /** Returns the value of {@code -cpu}. */
  public String cpu() {
    return cpu;
  }
}
