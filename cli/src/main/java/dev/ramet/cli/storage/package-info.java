// SPDX-License-Identifier: Apache-2.0
/** Commands on storage: of a running host, or of this machine where none is running. */
@NullMarked
package dev.ramet.cli.storage;

import org.jspecify.annotations.NullMarked;
