// SPDX-License-Identifier: Apache-2.0
/** Secrets: how they are kept, and how texts refer to them. */
@NullMarked
package dev.ramet.engine.secret;

import org.jspecify.annotations.NullMarked;
