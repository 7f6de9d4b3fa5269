// SPDX-License-Identifier: Apache-2.0
/** Settings as the framework hands them over, a record for each prefix. */
@NullMarked
package dev.ramet.server.settings;

import org.jspecify.annotations.NullMarked;
