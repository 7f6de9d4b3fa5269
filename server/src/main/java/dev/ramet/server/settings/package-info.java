// SPDX-License-Identifier: Apache-2.0
/** The settings that several packages of the host read. */
@NullMarked
package dev.ramet.server.settings;

import org.jspecify.annotations.NullMarked;
