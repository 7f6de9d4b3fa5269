// SPDX-License-Identifier: Apache-2.0
/** Commands for storage: of a running host, or of this machine if no host runs. */
@NullMarked
package dev.ramet.cli.storage;

import org.jspecify.annotations.NullMarked;
