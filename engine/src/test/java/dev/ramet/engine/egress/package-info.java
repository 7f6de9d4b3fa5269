// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.engine.egress;

import org.jspecify.annotations.NullMarked;
