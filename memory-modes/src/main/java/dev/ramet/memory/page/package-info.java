// SPDX-License-Identifier: Apache-2.0
/** Selects pages: rules, scans of the page table, and differences between images. */
@NullMarked
package dev.ramet.memory.page;

import org.jspecify.annotations.NullMarked;
