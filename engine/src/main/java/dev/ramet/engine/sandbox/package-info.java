// SPDX-License-Identifier: Apache-2.0
/** The life of sandboxes: create, pause, clone, roll back, kill. */
@NullMarked
package dev.ramet.engine.sandbox;

import org.jspecify.annotations.NullMarked;
