// SPDX-License-Identifier: Apache-2.0
/** Tests of access control. */
@NullMarked
package dev.ramet.server.access;

import org.jspecify.annotations.NullMarked;
