// SPDX-License-Identifier: Apache-2.0
/** Rules about what a sandbox may reach. */
@NullMarked
package dev.ramet.egress.rule;

import org.jspecify.annotations.NullMarked;
