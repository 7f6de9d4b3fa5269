// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.settings;

import java.util.List;

/**
 * Settings that are shown together. Groups of the same name are shown as one. Immutable and
 * thread-safe.
 *
 * @param name the group's heading, in lower case
 * @param settings the settings in display order
 */
public record SettingGroup(String name, List<Setting<?>> settings) {
  /** Copies the list. */
  public SettingGroup {
    settings = List.copyOf(settings);
  }

  /** Creates a group. */
  public static SettingGroup of(String name, Setting<?>... settings) {
    return new SettingGroup(name, List.of(settings));
  }
}
