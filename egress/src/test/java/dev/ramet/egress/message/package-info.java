// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.egress.message;

import org.jspecify.annotations.NullMarked;
