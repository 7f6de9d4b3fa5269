// SPDX-License-Identifier: Apache-2.0
/** The backend that copies bytes: slow, and at home on every file system. */
@NullMarked
package dev.ramet.backends.bytecopy;

import org.jspecify.annotations.NullMarked;
