// SPDX-License-Identifier: Apache-2.0
/** One machine of a sandbox: its start, its network, its agent. */
@NullMarked
package dev.ramet.engine.machine;

import org.jspecify.annotations.NullMarked;
