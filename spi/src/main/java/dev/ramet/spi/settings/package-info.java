// SPDX-License-Identifier: Apache-2.0
/**
 * The description of settings: each is declared once, as a {@link dev.ramet.spi.settings.Setting}
 * next to the code that uses it, and read from {@link dev.ramet.spi.settings.Settings}.
 */
@NullMarked
package dev.ramet.spi.settings;

import org.jspecify.annotations.NullMarked;
