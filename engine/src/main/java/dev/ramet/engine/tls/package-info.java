// SPDX-License-Identifier: Apache-2.0
/** Certificates that a host makes itself. */
@NullMarked
package dev.ramet.engine.tls;

import org.jspecify.annotations.NullMarked;
