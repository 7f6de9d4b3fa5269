// SPDX-License-Identifier: Apache-2.0
/** The plugins of a host: found, probed, and ranked among those that work here. */
@NullMarked
package dev.ramet.pluginhost;

import org.jspecify.annotations.NullMarked;
