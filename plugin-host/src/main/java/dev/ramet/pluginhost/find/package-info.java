// SPDX-License-Identifier: Apache-2.0
/** Finds plugins: folders of jars, the rules for them, and the layers that they are loaded in. */
@NullMarked
package dev.ramet.pluginhost.find;

import org.jspecify.annotations.NullMarked;
