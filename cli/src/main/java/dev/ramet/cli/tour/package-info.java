// SPDX-License-Identifier: Apache-2.0

/** The guided tour, which proves on this host what Ramet promises. */
@NullMarked
package dev.ramet.cli.tour;

import org.jspecify.annotations.NullMarked;
