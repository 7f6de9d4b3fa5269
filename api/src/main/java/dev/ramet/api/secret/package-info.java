// SPDX-License-Identifier: Apache-2.0
/** Secrets of requests. */
@NullMarked
package dev.ramet.api.secret;

import org.jspecify.annotations.NullMarked;
