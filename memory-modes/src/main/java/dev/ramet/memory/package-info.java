// SPDX-License-Identifier: Apache-2.0
/** Memory modes. Not exported: they are reached through their service type. */
@NullMarked
package dev.ramet.memory;

import org.jspecify.annotations.NullMarked;
