// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.server.http;

import org.jspecify.annotations.NullMarked;
