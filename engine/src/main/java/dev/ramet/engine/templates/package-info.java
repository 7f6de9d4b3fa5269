// SPDX-License-Identifier: Apache-2.0
/** The interface of the engine to templates and their builds. */
@NullMarked
package dev.ramet.engine.templates;

import org.jspecify.annotations.NullMarked;
