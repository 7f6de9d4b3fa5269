// SPDX-License-Identifier: Apache-2.0
/** The parts common to all plugin contracts: providers and probing. */
@NullMarked
package dev.ramet.spi;

import org.jspecify.annotations.NullMarked;
