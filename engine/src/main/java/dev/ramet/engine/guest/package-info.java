// SPDX-License-Identifier: Apache-2.0
/** Clients of the agent inside the guest. */
@NullMarked
package dev.ramet.engine.guest;

import org.jspecify.annotations.NullMarked;
