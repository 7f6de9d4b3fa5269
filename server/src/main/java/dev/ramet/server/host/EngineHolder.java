// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.host;

import dev.ramet.engine.start.Engine;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.ListenAddress;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.BeanProvider;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the engine in the background, so that the server responds at once, and provides it to the
 * routes. Thread-safe.
 */
@Singleton
public class EngineHolder {
  /** How long a request waits for an engine that is still opening. */
  public static final Setting<Duration> WAIT =
      Setting.duration(
          "ramet.engine-wait",
          Duration.ofSeconds(30),
          "How long a request waits while the engine is still opening, before it gets 503.");

  private static final Logger LOG = LoggerFactory.getLogger(EngineHolder.class);

  private final BeanProvider<EngineLauncher> launcher;
  private final Settings settings;
  private final CompletableFuture<Engine> engine = new CompletableFuture<>();
  private boolean started;
  private boolean stopped;

  EngineHolder(BeanProvider<EngineLauncher> launcher, Settings settings) {
    this.launcher = launcher;
    this.settings = settings;
  }

  /**
   * Begins to open the engine while the server is still starting. Skipped when the address is taken
   * and the server will therefore fail: a second start of a host must not change the data root.
   */
  @EventListener
  void openDuringStartup(StartupEvent event) {
    int port = settings.get(HostSettings.PORT);
    if (port <= 0 || ListenAddress.isFree(settings.get(HostSettings.BIND), port)) {
      start();
    }
  }

  /** Begins to open the engine once the server listens, unless that happened before. */
  @EventListener
  void start(ServerStartupEvent event) {
    start();
  }

  private void start() {
    synchronized (this) {
      if (started || stopped) {
        return;
      }
      started = true;
    }
    Thread opener = new Thread(this::open, "engine-open");
    opener.setDaemon(true);
    opener.start();
  }

  private void open() {
    long begin = System.nanoTime();
    try {
      Engine opened = launcher.get().launch(settings);
      synchronized (this) {
        if (!stopped) {
          engine.complete(opened);
          LOG.info("engine open after {} ms", (System.nanoTime() - begin) / 1_000_000);
          return;
        }
      }
      opened.close();
    } catch (Throwable e) { // the future must complete in any case, or requests wait for ever
      engine.completeExceptionally(e);
    }
  }

  /**
   * Returns a stage that completes with the open engine, or with the reason why it did not open.
   */
  public CompletionStage<Engine> opened() {
    return engine.minimalCompletionStage();
  }

  /**
   * Returns the engine without blocking.
   *
   * @return completes with a {@link RametException} {@code UNAVAILABLE} when it does not open in
   *     time or at all
   */
  public CompletionStage<Engine> whenOpen() {
    return engine
        .copy()
        .orTimeout(settings.get(WAIT).toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(e -> CompletableFuture.failedFuture(unavailable(e)));
  }

  /** Returns the engine, or null while it is not open. Does not block. */
  public @Nullable Engine getIfOpen() {
    return engine.isDone() && !engine.isCompletedExceptionally() ? engine.join() : null;
  }

  /** Returns why the engine is not open yet, or did not open at all. Does not block. */
  public RametException notOpen() {
    if (engine.isCompletedExceptionally()) {
      try {
        engine.join();
      } catch (CompletionException e) {
        return unavailable(e);
      }
    }
    return new RametException(
        ErrorCode.UNAVAILABLE, "the host is still starting", "try again in a moment", null);
  }

  /**
   * Returns the engine; blocks until it is open.
   *
   * @throws RametException {@code UNAVAILABLE} when it does not open in time or at all
   */
  public Engine get() {
    try {
      return engine.get(settings.get(WAIT).toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw unavailable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.UNAVAILABLE, "the host is stopping", e);
    }
  }

  private static RametException unavailable(Throwable why) {
    if (why instanceof TimeoutException) {
      return new RametException(
          ErrorCode.UNAVAILABLE, "the host is still starting", "try again in a moment", why);
    }
    Throwable cause = why.getCause() == null ? why : why.getCause();
    String remedy = cause instanceof RametException known ? known.remedy() : null;
    return new RametException(ErrorCode.UNAVAILABLE, "the host could not start", remedy, why);
  }

  /** Closes the engine; sandboxes continue to run. */
  @PreDestroy
  void close() {
    synchronized (this) {
      stopped = true;
    }
    Engine open = getIfOpen();
    if (open != null) {
      open.close();
    }
  }
}
