// SPDX-License-Identifier: Apache-2.0
/**
 * TLS certificates: authorities that sign them, and the certificates that a host issues itself or
 * is given.
 */
@NullMarked
package dev.ramet.certificates;

import org.jspecify.annotations.NullMarked;
