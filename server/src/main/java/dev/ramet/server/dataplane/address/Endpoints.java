// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane.address;

import dev.ramet.engine.sandboxes.InboundRules;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.LookupExecutor;
import io.micronaut.context.BeanProvider;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the addresses of guests in the engine without blocking the caller. Resumes paused
 * sandboxes if their rules ask for it. Thread-safe.
 */
@Singleton
public class Endpoints {
  private final EngineHolder engine;
  private final BeanProvider<ExecutorService> executor;
  private final BeanProvider<ExecutorService> blocking;
  private final Map<String, CompletableFuture<Void>> waking = new ConcurrentHashMap<>();

  Endpoints(
      EngineHolder engine,
      @Named(LookupExecutor.NAME) BeanProvider<ExecutorService> executor,
      @Named(TaskExecutors.BLOCKING) BeanProvider<ExecutorService> blocking) {
    this.engine = engine;
    this.executor = executor;
    this.blocking = blocking;
  }

  /**
   * Looks up a guest's endpoint. Completes with it, or with the engine's {@link
   * dev.ramet.errors.RametException}.
   *
   * @param token the token of the request, for a sandbox that is not open to everyone
   */
  public CompletionStage<GuestEndpoint> find(SandboxTarget target, @Nullable String token) {
    return engine
        .whenOpen()
        .thenComposeAsync(
            open -> {
              Sandboxes sandboxes = open.sandboxes();
              try {
                return CompletableFuture.completedFuture(guest(sandboxes, target, token));
              } catch (RametException e) {
                // A caller without access must not resume the sandbox either.
                if (e.code() == ErrorCode.FORBIDDEN) {
                  throw e;
                }
                Sandbox sandbox = sandboxes.get(target.sandboxId());
                if (!mayResume(sandbox)) {
                  throw reason(sandbox, e);
                }
                return resume(sandboxes, target.sandboxId())
                    .thenApplyAsync(done -> guest(sandboxes, target, token), executor.get());
              }
            },
            executor.get());
  }

  private static GuestEndpoint guest(
      Sandboxes sandboxes, SandboxTarget target, @Nullable String token) {
    int port = target.port();
    if (port == Sandbox.AGENT_PORT) {
      return new GuestEndpoint(sandboxes.endpoint(target.sandboxId(), port), false, null);
    }
    Sandbox sandbox = sandboxes.get(target.sandboxId());
    TrafficToken.check(sandbox, token);
    InboundRules rules = sandbox.rules().inbound();
    // By id: the name in the request may have moved to another sandbox meanwhile.
    return new GuestEndpoint(
        sandboxes.endpoint(sandbox.id(), port), rules.tls(port), rules.host(port));
  }

  /** Returns whether a request may resume a sandbox that is paused or about to be. */
  private static boolean mayResume(Sandbox sandbox) {
    return sandbox.rules().autoResume() && sandbox.state() != Sandbox.State.FAILED;
  }

  /** Returns the error that says why a sandbox has no endpoints now. */
  private static RametException reason(Sandbox sandbox, RametException refused) {
    String id = sandbox.id();
    return switch (sandbox.state()) {
      case PAUSED ->
          new RametException(
              ErrorCode.CONFLICT,
              "sandbox " + id + " is paused",
              "resume it with: ramet sandbox resume " + id,
              refused);
      case FAILED ->
          new RametException(
              ErrorCode.CONFLICT,
              "sandbox " + id + " has failed",
              "see why: ramet sandbox show " + id,
              refused);
      default -> refused;
    };
  }

  /**
   * Resumes a sandbox once for all concurrent requests, outside the threads that look up addresses.
   */
  private CompletableFuture<Void> resume(Sandboxes sandboxes, String id) {
    return waking.computeIfAbsent(
        sandboxes.get(id).id(),
        key ->
            CompletableFuture.runAsync(() -> sandboxes.resume(key, null, true), blocking.get())
                .whenCompleteAsync((done, failure) -> waking.remove(key), executor.get()));
  }

  /**
   * Finds the sandbox whose access token signed a request for a file, because such a request need
   * not name a sandbox. Completes with empty when there is none.
   */
  public CompletionStage<Optional<SandboxTarget>> signedBy(UrlSignature signature) {
    return engine
        .whenOpen()
        .thenApplyAsync(
            open ->
                open.sandboxes().list().stream()
                    .filter(sandbox -> signature.isSignedWith(sandbox.accessToken()))
                    .findFirst()
                    .map(sandbox -> new SandboxTarget(sandbox.id(), Sandbox.AGENT_PORT, false)),
            executor.get());
  }
}
