// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.config.Configuration;
import dev.ramet.config.ConfigurationSources;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.OwnerOnlyFiles;
import dev.ramet.errors.ErrorCode;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.ListenAddress;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the server until it is stopped. Settings come from a file, {@code RAMET_…} environment
 * variables, {@code -Dramet.…} system properties and {@code -ramet.…=} arguments; later ones
 * override earlier ones. Nothing is started unless all of them are valid.
 */
public final class Main {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);

  private Main() {}

  /** Runs the server; ends the process with 0, or with the error's exit status. */
  public static void main(String[] args) {
    System.exit(run(null, args));
  }

  /**
   * Runs the server until a signal stops it or its engine cannot be opened.
   *
   * @param file the file of settings, or null for the default file, if it exists
   * @return the exit status
   */
  public static int run(@Nullable Path file, String... args) {
    ConfigurationSources sources =
        ConfigurationSources.create(
            file, System.getenv(), ConfigurationSources.flags(List.of(args)));
    HostConfiguration host;
    try {
      host = HostConfiguration.load(sources);
    } catch (RuntimeException e) {
      return StartErrors.report(e);
    }
    Configuration configuration = host.configuration();
    configuration.warnings().forEach(warning -> LOG.warn("{}", warning));
    if (!configuration.problems().isEmpty()) {
      configuration.problems().forEach(problem -> LOG.error("{}", problem));
      LOG.error("cannot start: {} invalid settings", configuration.problems().size());
      return ErrorCode.INVALID_ARGUMENT.exitStatus();
    }
    try {
      Settings settings = configuration.settings();
      ListenAddress.check(
          settings.get(HostSettings.BIND), Math.max(0, settings.get(HostSettings.PORT)));
      // Done before anything is written, and before any request is accepted.
      OwnerOnlyFiles.restrictNewFiles();
      Path root = settings.get(EngineConfig.DATA_ROOT);
      if (Files.exists(root)) { // one that is not there yet is made by the engine, which closes it
        OwnerOnlyFiles.secureRoot("data root", root);
      }
      StartErrors.checkPlace(root);
    } catch (RuntimeException e) {
      return StartErrors.report(e);
    }
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    AtomicInteger status = new AtomicInteger();
    try (ApplicationContext context = HostContext.builder(host).args(args).build().start()) {
      EmbeddedServer server = context.getBean(EmbeddedServer.class);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    end.countDown();
                    awaitQuietly(closed);
                  },
                  "shutdown"));
      server.start();
      LOG.info("listening on {}", server.getURI());
      context
          .getBean(EngineHolder.class)
          .opened()
          .whenComplete(
              (engine, failure) -> {
                if (failure != null) {
                  status.set(StartErrors.report(failure));
                  end.countDown();
                }
              });
      awaitQuietly(end);
      LOG.info("stopping: requests in flight are finished, and sandboxes keep running");
    } catch (RuntimeException e) {
      return StartErrors.report(e);
    } finally {
      closed.countDown();
    }
    return status.get();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
