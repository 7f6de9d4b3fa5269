// SPDX-License-Identifier: Apache-2.0
/** Certificates: authorities that sign them, and those that a host makes or is given. */
@NullMarked
package dev.ramet.certificates;

import org.jspecify.annotations.NullMarked;
