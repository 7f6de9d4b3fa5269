// SPDX-License-Identifier: Apache-2.0
/** Secrets, which the host inserts into the requests of sandboxes. */
@NullMarked
package dev.ramet.api.secret;

import org.jspecify.annotations.NullMarked;
