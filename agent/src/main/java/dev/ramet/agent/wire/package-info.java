// SPDX-License-Identifier: Apache-2.0
/** The encoding of messages: JSON, and the frames of streams. */
@NullMarked
package dev.ramet.agent.wire;

import org.jspecify.annotations.NullMarked;
