// SPDX-License-Identifier: Apache-2.0
/** One capture of a machine: the work before, during and after the pause. */
@NullMarked
package dev.ramet.engine.capture;

import org.jspecify.annotations.NullMarked;
