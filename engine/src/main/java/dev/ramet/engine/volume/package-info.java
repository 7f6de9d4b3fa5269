// SPDX-License-Identifier: Apache-2.0
/**
 * Volumes: directory trees that sandboxes share. A guest's kernel asks its agent for what it needs
 * of one, the agent asks the host, over a connection that the host makes, and the host answers from
 * below one directory, which no name leads out of.
 */
@NullMarked
package dev.ramet.engine.volume;

import org.jspecify.annotations.NullMarked;
