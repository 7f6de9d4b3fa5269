// SPDX-License-Identifier: Apache-2.0
/** Talks to the agent inside the guest. */
@NullMarked
package dev.ramet.engine.guest;

import org.jspecify.annotations.NullMarked;
