// SPDX-License-Identifier: Apache-2.0
/** Routes of templates: their tags, and builds as clients of the E2B protocol ask for them. */
@NullMarked
package dev.ramet.server.template;

import org.jspecify.annotations.NullMarked;
