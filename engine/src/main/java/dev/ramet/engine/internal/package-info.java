// SPDX-License-Identifier: Apache-2.0
/** Small tools of the engine. */
@NullMarked
package dev.ramet.engine.internal;

import org.jspecify.annotations.NullMarked;
