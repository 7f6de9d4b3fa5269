// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTP host of the engine: routes, errors and start-up. {@link dev.ramet.server.Main} runs it;
 * {@link dev.ramet.server.EngineLauncher} is where the engine is plugged in.
 */
@NullMarked
package dev.ramet.server;

import org.jspecify.annotations.NullMarked;
