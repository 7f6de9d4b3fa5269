// SPDX-License-Identifier: Apache-2.0
/** Which guest and port a request is for, and whether it may reach it. */
@NullMarked
package dev.ramet.server.dataplane.address;

import org.jspecify.annotations.NullMarked;
