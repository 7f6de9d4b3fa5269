// SPDX-License-Identifier: Apache-2.0
/**
 * What crosses the wire: request and answer records and the error model. Record component names are
 * the JSON names, so that no mapping annotations are needed.
 */
@NullMarked
package dev.ramet.api;

import org.jspecify.annotations.NullMarked;
