// SPDX-License-Identifier: Apache-2.0
/** Block devices: device-mapper and loop devices. */
@NullMarked
package dev.ramet.linux.block;

import org.jspecify.annotations.NullMarked;
