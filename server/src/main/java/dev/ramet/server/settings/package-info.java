// SPDX-License-Identifier: Apache-2.0
/** The settings as records that the framework fills in. */
@NullMarked
package dev.ramet.server.settings;

import org.jspecify.annotations.NullMarked;
