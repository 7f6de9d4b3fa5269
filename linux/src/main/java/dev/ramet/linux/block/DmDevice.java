// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.block;

/**
 * What device-mapper says about one of its devices.
 *
 * @param name its name, unique on the host
 * @param number its device number
 * @param openCount how many hold it open, other device-mapper devices included
 * @param eventNumber how many events it has had; see {@link DeviceMapper#waitForEvent}
 * @param active whether it has a table in use
 * @param inactive whether a table is loaded that the next resume puts in use
 * @param suspended whether it holds back its requests
 * @param readOnly whether its table in use allows reading only
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
