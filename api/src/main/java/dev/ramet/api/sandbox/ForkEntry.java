// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.sandbox;

import dev.ramet.api.operation.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * One child of a fork: exactly one of the two is there. Immutable and thread-safe.
 *
 * @param sandbox the child, or null when it could not be made
 * @param error why not, or null when it was made
 */
public record ForkEntry(@Nullable SandboxInfo sandbox, @Nullable ApiError error) {}
