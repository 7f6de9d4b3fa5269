// SPDX-License-Identifier: Apache-2.0
/** Templates, their tags and their builds. */
@NullMarked
package dev.ramet.api.template;

import org.jspecify.annotations.NullMarked;
