// SPDX-License-Identifier: Apache-2.0
/**
 * Carries guests' connections that are allowed by host name or leave through a proxy. Everything
 * about one connection runs on one event loop, except name look-ups.
 */
@NullMarked
package dev.ramet.egress.proxy;

import org.jspecify.annotations.NullMarked;
