// SPDX-License-Identifier: Apache-2.0
/** Files that are replaced as a whole, trees of files, and errors of file systems that are full. */
@NullMarked
package dev.ramet.files;

import org.jspecify.annotations.NullMarked;
