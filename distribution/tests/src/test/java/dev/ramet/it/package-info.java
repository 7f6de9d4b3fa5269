// SPDX-License-Identifier: Apache-2.0
/** End-to-end tests: the shipped modules, real storage, real machines. */
@NullMarked
package dev.ramet.it;

import org.jspecify.annotations.NullMarked;
