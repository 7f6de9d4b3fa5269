// SPDX-License-Identifier: Apache-2.0
/** Tests of the client against a host that says whatever a test wants. */
@NullMarked
package dev.ramet.client;

import org.jspecify.annotations.NullMarked;
