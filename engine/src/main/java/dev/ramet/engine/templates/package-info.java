// SPDX-License-Identifier: Apache-2.0
/** What callers see of templates and their builds. */
@NullMarked
package dev.ramet.engine.templates;

import org.jspecify.annotations.NullMarked;
