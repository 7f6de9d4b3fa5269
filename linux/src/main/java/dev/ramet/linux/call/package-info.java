// SPDX-License-Identifier: Apache-2.0
/** Functions of the C library, declared as they are: primitives, byte arrays and addresses. */
@NullMarked
package dev.ramet.linux.call;

import org.jspecify.annotations.NullMarked;
