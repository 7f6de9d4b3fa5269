// SPDX-License-Identifier: Apache-2.0
/**
 * What crosses the wire: request and answer records. Record component names are the JSON names, so
 * that no mapping annotations are needed.
 *
 * <p>Both sides read leniently: fields they do not know are ignored, absent ones are null (a mapper
 * must be told so, {@code FAIL_ON_UNKNOWN_PROPERTIES} off). Both sides leave null fields out and
 * keep empty collections.
 *
 * <p>Beside it: which hosts clients trust ({@link dev.ramet.api.HostTrust}).
 */
@NullMarked
package dev.ramet.api;

import org.jspecify.annotations.NullMarked;
