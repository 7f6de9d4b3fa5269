// SPDX-License-Identifier: Apache-2.0
/** Tests of who may use the host. */
@NullMarked
package dev.ramet.server.access;

import org.jspecify.annotations.NullMarked;
