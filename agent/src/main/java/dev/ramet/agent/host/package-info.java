// SPDX-License-Identifier: Apache-2.0
/**
 * The calls that a machine's own host makes to its agent, over a direct connection: initialization,
 * freezing, readiness, load, and the steps of a template.
 */
@NullMarked
package dev.ramet.agent.host;

import org.jspecify.annotations.NullMarked;
