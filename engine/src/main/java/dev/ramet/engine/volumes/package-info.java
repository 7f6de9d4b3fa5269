// SPDX-License-Identifier: Apache-2.0
/** The interface of the engine to shared volumes. */
@NullMarked
package dev.ramet.engine.volumes;

import org.jspecify.annotations.NullMarked;
