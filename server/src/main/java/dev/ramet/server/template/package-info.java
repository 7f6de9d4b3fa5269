// SPDX-License-Identifier: Apache-2.0
/** Routes for templates: recipes, imports, tags, and builds in the E2B protocol. */
@NullMarked
package dev.ramet.server.template;

import org.jspecify.annotations.NullMarked;
