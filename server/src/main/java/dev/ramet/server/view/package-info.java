// SPDX-License-Identifier: Apache-2.0
/** Records of the engine as records on the wire. */
@NullMarked
package dev.ramet.server.view;

import org.jspecify.annotations.NullMarked;
