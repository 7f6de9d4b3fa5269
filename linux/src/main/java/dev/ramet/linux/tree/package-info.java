// SPDX-License-Identifier: Apache-2.0
/** Directory trees that guests write to: no name leads out of them. */
@NullMarked
package dev.ramet.linux.tree;

import org.jspecify.annotations.NullMarked;
