// SPDX-License-Identifier: Apache-2.0
/** Tests of the client against a scripted host. */
@NullMarked
package dev.ramet.client;

import org.jspecify.annotations.NullMarked;
