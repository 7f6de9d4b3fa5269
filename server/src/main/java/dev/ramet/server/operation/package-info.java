// SPDX-License-Identifier: Apache-2.0
/** What takes long: operations with ids and progress, and requests that may come twice. */
@NullMarked
package dev.ramet.server.operation;

import org.jspecify.annotations.NullMarked;
