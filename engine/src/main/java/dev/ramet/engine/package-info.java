// SPDX-License-Identifier: Apache-2.0
/**
 * The contracts that a host of the engine calls: {@link dev.ramet.engine.start.Engine} and the
 * records it uses.
 */
@NullMarked
package dev.ramet.engine;

import org.jspecify.annotations.NullMarked;
