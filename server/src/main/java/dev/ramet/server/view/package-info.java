// SPDX-License-Identifier: Apache-2.0
/** Converts records of the engine to records of the wire format. */
@NullMarked
package dev.ramet.server.view;

import org.jspecify.annotations.NullMarked;
