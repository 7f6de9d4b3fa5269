// SPDX-License-Identifier: Apache-2.0
/**
 * Durable files: files replaced atomically, directory trees, and the errors of full file systems.
 */
@NullMarked
package dev.ramet.files;

import org.jspecify.annotations.NullMarked;
