// SPDX-License-Identifier: Apache-2.0
/** What all plugin contracts share: providers and probing. */
@NullMarked
package dev.ramet.spi;

import org.jspecify.annotations.NullMarked;
