// SPDX-License-Identifier: Apache-2.0
/** System calls made inside another process, by one of its threads. */
@NullMarked
package dev.ramet.linux.injection;

import org.jspecify.annotations.NullMarked;
