// SPDX-License-Identifier: Apache-2.0
/**
 * Where files lie in a data root, durable steps on them, and errors of the host as errors of a
 * backend.
 */
@NullMarked
package dev.ramet.backends.disk;

import org.jspecify.annotations.NullMarked;
