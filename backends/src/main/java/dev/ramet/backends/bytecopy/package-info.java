// SPDX-License-Identifier: Apache-2.0
/** The backend that copies bytes: slow, but it works on every file system. */
@NullMarked
package dev.ramet.backends.bytecopy;

import org.jspecify.annotations.NullMarked;
