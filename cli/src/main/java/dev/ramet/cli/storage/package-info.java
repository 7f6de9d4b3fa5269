// SPDX-License-Identifier: Apache-2.0
/** Commands on this machine's storage; they need no running host. */
@NullMarked
package dev.ramet.cli.storage;

import org.jspecify.annotations.NullMarked;
