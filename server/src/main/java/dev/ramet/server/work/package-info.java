// SPDX-License-Identifier: Apache-2.0
/** What the host is doing: operations with ids and progress, and requests that may come twice. */
@NullMarked
package dev.ramet.server.work;

import org.jspecify.annotations.NullMarked;
