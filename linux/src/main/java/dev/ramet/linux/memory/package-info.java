// SPDX-License-Identifier: Apache-2.0
/** The pages of another process that changed: soft-dirty bits, page tables and userfaultfd. */
@NullMarked
package dev.ramet.linux.memory;

import org.jspecify.annotations.NullMarked;
