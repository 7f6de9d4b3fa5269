// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.engine.relay;

import org.jspecify.annotations.NullMarked;
