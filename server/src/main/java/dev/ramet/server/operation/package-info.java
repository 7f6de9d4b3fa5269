// SPDX-License-Identifier: Apache-2.0
/** Long operations with ids and progress, and idempotency keys of repeated requests. */
@NullMarked
package dev.ramet.server.operation;

import org.jspecify.annotations.NullMarked;
