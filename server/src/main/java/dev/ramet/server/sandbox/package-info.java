// SPDX-License-Identifier: Apache-2.0
/** Routes for sandboxes. */
@NullMarked
package dev.ramet.server.sandbox;

import org.jspecify.annotations.NullMarked;
