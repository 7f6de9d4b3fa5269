// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.server.settings;

import org.jspecify.annotations.NullMarked;
