// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.Provider;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingTypes;

/** Service type for hypervisor plugins. */
public interface HypervisorProvider extends Provider<Hypervisor> {
  /**
   * The accelerator that runs the guest's instructions. The operator sets it for all hypervisors,
   * so no plugin declares it, and each gets its value with its own settings.
   */
  Setting<String> ACCELERATOR =
      Setting.of(
              "ramet.accelerator",
              SettingTypes.choice("auto", "kvm", "tcg"),
              "auto uses KVM if a test guest runs on it, otherwise TCG. kvm and tcg force one of"
                  + " the two.")
          .byDefault("auto");

  @Override
  HypervisorFacts atBest();
}
