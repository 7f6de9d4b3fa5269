// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Loads third-party plugins, each folder in its own layer and all in parallel. A folder whose code
 * hangs is refused.
 */
public final class PluginFolders {
  private final PluginPolicy policy;
  private final ModuleLayer host;
  private final Duration deadline;
  private final PluginRules rules;

  public PluginFolders(PluginPolicy policy, ModuleLayer host, Duration deadline) {
    this.policy = policy;
    this.host = host;
    this.deadline = deadline;
    this.rules =
        new PluginRules(
            Service.ALL.stream()
                .map(service -> service.type().getName())
                .collect(Collectors.toSet()),
            host,
            Optional.ofNullable(PluginKind.STORAGE.service().getModule().getDescriptor())
                .flatMap(descriptor -> descriptor.rawVersion())
                .flatMap(SpiVersion::parse));
  }

  /**
   * Loads all folders.
   *
   * @param refusals receives the plugins that are refused
   * @return the providers of the others by folder, in the order of folder names
   */
  public Map<String, List<Service.Found>> load(List<Refusal> refusals) {
    Map<String, FutureTask<List<Service.Found>>> tasks = new LinkedHashMap<>();
    for (Path folder : folders(refusals)) {
      String name = String.valueOf(folder.getFileName());
      FutureTask<List<Service.Found>> task = new FutureTask<>(() -> load(folder, name));
      // A new thread for each, because a pool would lose one to every plugin that hangs.
      Thread thread = new Thread(task, "plugin-" + name);
      thread.setDaemon(true);
      thread.start();
      tasks.put(name, task);
    }
    long end = System.nanoTime() + deadline.toNanos();
    Map<String, List<Service.Found>> result = new LinkedHashMap<>();
    tasks.forEach(
        (name, task) -> {
          try {
            result.put(name, await(name, task, end));
          } catch (RefusedException e) {
            refusals.add(e.refusal());
          }
        });
    return result;
  }

  private List<Path> folders(List<Refusal> refusals) {
    Path directory = policy.directory();
    List<Path> folders = List.of();
    if (directory != null && Files.isDirectory(directory)) {
      try (Stream<Path> all = Files.list(directory)) {
        folders = all.filter(PluginFolders::isPlugin).sorted().toList();
      } catch (IOException e) {
        refusals.add(
            new Refusal(
                String.valueOf(directory.getFileName()),
                "",
                "",
                directory + " cannot be read: " + e,
                "let the host's user read it"));
      }
    }
    List<String> names = folders.stream().map(path -> String.valueOf(path.getFileName())).toList();
    for (String wanted : policy.required().stream().sorted().toList()) {
      if (!names.contains(wanted)) {
        refusals.add(
            new Refusal(
                wanted,
                "",
                "",
                "there is no folder " + (directory == null ? wanted : directory.resolve(wanted)),
                "install the plugin, or remove it from ramet.plugins-required"));
      }
    }
    return folders;
  }

  private static boolean isPlugin(Path path) {
    return Files.isDirectory(path) && !String.valueOf(path.getFileName()).startsWith(".");
  }

  private List<Service.Found> load(Path folder, String name) throws RefusedException {
    PluginJars jars = PluginJars.in(folder, name);
    rules.check(jars);
    PluginLayer linked = PluginLayer.define(jars, host, policy.nativeAccess().contains(name));
    ModuleLayer layer = linked.layer();
    layer.modules().stream()
        .findAny()
        .ifPresent(module -> Thread.currentThread().setContextClassLoader(module.getClassLoader()));
    Origin unknown = new Origin(name, jars.fileNames(), "", "", linked.nativeAccess());
    List<Service.Found> found = new ArrayList<>();
    for (Service service : Service.ALL) {
      found.addAll(
          service.load(
              layer,
              module -> Origin.forModule(name, module, linked.nativeAccess()),
              unknown,
              PluginFolders::stop));
    }
    return found;
  }

  /** Refuses the whole plugin because of one provider: its operator relies on all of it. */
  private static void stop(Refusal refusal, @Nullable Throwable cause) throws RefusedException {
    throw new RefusedException(refusal, cause);
  }

  private List<Service.Found> await(String name, FutureTask<List<Service.Found>> task, long end)
      throws RefusedException {
    String cause;
    Throwable thrown;
    try {
      return task.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      thrown = e.getCause();
      if (thrown instanceof RefusedException refused) {
        throw refused;
      }
      cause = "loading it failed: " + thrown;
    } catch (TimeoutException e) {
      task.cancel(true);
      thrown = e;
      cause = "its providers were not created within " + deadline.toMillis() + " ms";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      thrown = e;
      cause = "the host was stopped while the plugin was loaded";
    }
    throw PluginJars.refusal(
        name,
        "",
        "",
        cause,
        "report it to the plugin's author: a provider's constructor must do nothing",
        thrown);
  }
}
