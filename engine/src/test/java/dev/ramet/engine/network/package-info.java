// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.engine.network;

import org.jspecify.annotations.NullMarked;
