// SPDX-License-Identifier: Apache-2.0
/**
 * Shared volumes: directory trees that several sandboxes mount. A guest's kernel sends file
 * requests to its agent, and the agent passes them to the host over a connection that the host
 * opens. The host serves them from one directory, and no path leads out of it.
 */
@NullMarked
package dev.ramet.engine.volume;

import org.jspecify.annotations.NullMarked;
