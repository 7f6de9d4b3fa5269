// SPDX-License-Identifier: Apache-2.0
/** Templates: made of images, of recipes and of steps. */
@NullMarked
package dev.ramet.engine.template;

import org.jspecify.annotations.NullMarked;
