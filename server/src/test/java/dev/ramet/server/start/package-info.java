// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.server.start;

import org.jspecify.annotations.NullMarked;
