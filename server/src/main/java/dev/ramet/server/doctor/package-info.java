// SPDX-License-Identifier: Apache-2.0
/** Routes for the host itself: its health, its plugins, its metrics. */
@NullMarked
package dev.ramet.server.doctor;

import org.jspecify.annotations.NullMarked;
