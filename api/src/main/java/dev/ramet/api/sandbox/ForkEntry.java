// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.operation.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * One child of a fork; exactly one of the two components is set. Immutable and thread-safe.
 *
 * @param sandbox the child, or null when it could not be created
 * @param error why it could not be created, or null when it was
 */
public record ForkEntry(@Nullable SandboxInfo sandbox, @Nullable ApiError error) {}
