// SPDX-License-Identifier: Apache-2.0
/** What callers see of shared volumes. */
@NullMarked
package dev.ramet.engine.volumes;

import org.jspecify.annotations.NullMarked;
