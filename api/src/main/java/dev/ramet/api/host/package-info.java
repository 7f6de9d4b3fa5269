// SPDX-License-Identifier: Apache-2.0
/** The host itself: its health, its plugins, and the certificates that clients trust. */
@NullMarked
package dev.ramet.api.host;

import org.jspecify.annotations.NullMarked;
