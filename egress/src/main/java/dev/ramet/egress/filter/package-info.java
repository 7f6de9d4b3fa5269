// SPDX-License-Identifier: Apache-2.0
/** Which addresses guests may reach: rules, the program they become, and where it is in force. */
@NullMarked
package dev.ramet.egress.filter;

import org.jspecify.annotations.NullMarked;
