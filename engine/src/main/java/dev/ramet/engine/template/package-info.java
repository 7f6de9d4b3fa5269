// SPDX-License-Identifier: Apache-2.0
/** Templates made from images, recipes or steps. */
@NullMarked
package dev.ramet.engine.template;

import org.jspecify.annotations.NullMarked;
