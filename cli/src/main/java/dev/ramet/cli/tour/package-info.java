// SPDX-License-Identifier: Apache-2.0

/** The guided tour, which demonstrates and checks Ramet's features on this host. */
@NullMarked
package dev.ramet.cli.tour;

import org.jspecify.annotations.NullMarked;
