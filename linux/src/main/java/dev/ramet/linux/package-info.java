// SPDX-License-Identifier: Apache-2.0
/** System calls behind typed handles. Failures are the checked {@code LinuxException}. */
@NullMarked
package dev.ramet.linux;

import org.jspecify.annotations.NullMarked;
