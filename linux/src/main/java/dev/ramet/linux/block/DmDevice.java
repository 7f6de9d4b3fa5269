// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

/**
 * The state of a device-mapper device.
 *
 * @param name its name, unique on the host
 * @param number its device number
 * @param openCount how many openers it has, including other device-mapper devices
 * @param eventNumber how many events it has had; see {@link DeviceMapper#waitForEvent}
 * @param active whether it has an active table
 * @param inactive whether a table is loaded that the next resume activates
 * @param suspended whether it holds back its requests
 * @param readOnly whether its active table is read-only
 */
public record DmDevice(
    String name,
    DeviceNumber number,
    int openCount,
    int eventNumber,
    boolean active,
    boolean inactive,
    boolean suspended,
    boolean readOnly) {}
