// SPDX-License-Identifier: Apache-2.0
/**
 * Rules about what a sandbox may reach and what is put into its requests, and the secrets that they
 * refer to.
 */
@NullMarked
package dev.ramet.egress.rule;

import org.jspecify.annotations.NullMarked;
