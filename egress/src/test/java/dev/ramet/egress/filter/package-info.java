// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.egress.filter;

import org.jspecify.annotations.NullMarked;
