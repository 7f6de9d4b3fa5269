// SPDX-License-Identifier: Apache-2.0
/** Routes for secrets. */
@NullMarked
package dev.ramet.server.secret;

import org.jspecify.annotations.NullMarked;
