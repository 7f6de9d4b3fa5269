// SPDX-License-Identifier: Apache-2.0
/**
 * Template builds as clients of the E2B protocol ask for them: what they upload, say and become.
 */
@NullMarked
package dev.ramet.server.build;

import org.jspecify.annotations.NullMarked;
