// SPDX-License-Identifier: Apache-2.0
/** The parts of a request for a sandbox that options or a file give. */
@NullMarked
package dev.ramet.cli.request;

import org.jspecify.annotations.NullMarked;
