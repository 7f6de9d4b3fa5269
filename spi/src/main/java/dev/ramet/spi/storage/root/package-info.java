// SPDX-License-Identifier: Apache-2.0
/** Making the roots of storage backends, and examining them without a host. */
@NullMarked
package dev.ramet.spi.storage.root;

import org.jspecify.annotations.NullMarked;
