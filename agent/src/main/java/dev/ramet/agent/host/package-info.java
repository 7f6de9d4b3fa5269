// SPDX-License-Identifier: Apache-2.0
/**
 * What a machine's own host asks of the agent, over a direct connection: initialization, freezing,
 * readiness, load, and the steps of a template.
 */
@NullMarked
package dev.ramet.agent.host;

import org.jspecify.annotations.NullMarked;
