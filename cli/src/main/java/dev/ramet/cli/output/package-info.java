// SPDX-License-Identifier: Apache-2.0
/** The formats in which commands print answers: tables, JSON, YAML, names, JSONPath templates. */
@NullMarked
package dev.ramet.cli.output;

import org.jspecify.annotations.NullMarked;
