// SPDX-License-Identifier: Apache-2.0
/**
 * What a host of the engine calls: {@link dev.ramet.engine.Engine} and the records it speaks in.
 */
@NullMarked
package dev.ramet.engine;

import org.jspecify.annotations.NullMarked;
