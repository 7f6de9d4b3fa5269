// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.dataplane.address.Endpoints;
import dev.ramet.server.dataplane.address.GuestEndpoint;
import dev.ramet.server.dataplane.address.SandboxTarget;
import dev.ramet.server.dataplane.address.UrlSignature;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks up guests for one client, and delivers the results on the client's event loop. Thread-safe.
 */
final class GuestLookup {
  private final Endpoints endpoints;
  private final Executor eventLoop;

  GuestLookup(Endpoints endpoints, Executor eventLoop) {
    this.endpoints = endpoints;
    this.eventLoop = eventLoop;
  }

  /** Looks up the guest that a signature's access token belongs to; empty if there is none. */
  void signedBy(
      UrlSignature signature,
      Consumer<Optional<SandboxTarget>> found,
      Consumer<RametException> failed) {
    deliver(endpoints.signedBy(signature), found, failed);
  }

  /** Looks up where a guest's port can be reached. */
  void find(
      SandboxTarget where,
      @Nullable String token,
      Consumer<GuestEndpoint> found,
      Consumer<RametException> failed) {
    deliver(endpoints.find(where, token), found, failed);
  }

  private <T> void deliver(
      CompletionStage<T> result, Consumer<T> found, Consumer<RametException> failed) {
    result.whenComplete(
        (value, failure) ->
            eventLoop.execute(
                () -> {
                  if (value == null) {
                    failed.accept(known(failure));
                  } else {
                    found.accept(value);
                  }
                }));
  }

  private static RametException known(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof RametException known
        ? known
        : new RametException(ErrorCode.INTERNAL, "the engine failed", cause);
  }
}
