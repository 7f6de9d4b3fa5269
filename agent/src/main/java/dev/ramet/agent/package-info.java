// SPDX-License-Identifier: Apache-2.0
/**
 * Programs and files of a guest, through its agent. {@link dev.ramet.agent.Guest} speaks the
 * protocol; a {@link dev.ramet.agent.Route} carries its calls to the agent.
 */
@NullMarked
package dev.ramet.agent;

import org.jspecify.annotations.NullMarked;
