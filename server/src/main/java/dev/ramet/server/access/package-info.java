// SPDX-License-Identifier: Apache-2.0
/** Who may use the host's API: keys, what each is for, how often it is used, and a record of it. */
@NullMarked
package dev.ramet.server.access;

import org.jspecify.annotations.NullMarked;
