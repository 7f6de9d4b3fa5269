// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.egress.rule;

import org.jspecify.annotations.NullMarked;
