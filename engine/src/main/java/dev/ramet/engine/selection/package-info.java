// SPDX-License-Identifier: Apache-2.0
/** Which plugins the engine uses here, and what the doctor says of them. */
@NullMarked
package dev.ramet.engine.selection;

import org.jspecify.annotations.NullMarked;
