// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.ramet.egress.proxy;

import org.jspecify.annotations.NullMarked;
