// SPDX-License-Identifier: Apache-2.0
/** What is wrong with what is kept, and its repair. */
@NullMarked
package dev.ramet.engine.check;

import org.jspecify.annotations.NullMarked;
