// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.plugins;

import dev.ramet.pluginhost.Plugins;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.pluginhost.find.PluginPolicy;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.Provider;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/**
 * Times calls of a backend alternately as its module provides it and as the engine wraps it.
 * Started by {@link PluginsSuite}; prints a line {@code CALL DIRECT GUARDED} for each round, in
 * microseconds.
 */
final class ContractCalls {
  private static final String BACKEND = "byte-copy";
  private static final NodeId NODE = NodeId.of("node");
  private static final NodeId COPY = NodeId.of("copy");
  private static final int NODES = 100;
  private static final int WARM_UP = 20;

  /** Long enough for the calls to be compiled as in a host that makes them all day. */
  private static final long COMPILE_NANOS = 400_000_000;

  private static final long ROUND_NANOS = 5_000_000;

  /** Keeps results alive, so that no call is optimised away. */
  private static volatile int sink;

  private ContractCalls() {}

  /** Arguments: {@code DIRECTORY ROUNDS}. */
  public static void main(String[] arguments) throws IOException {
    Path work = Path.of(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    try (StorageBackend direct = direct().open(at(work.resolve("direct")));
        StorageBackend guarded = guarded().open(at(work.resolve("guarded")))) {
      for (StorageBackend one : new StorageBackend[] {direct, guarded}) {
        fill(one);
      }
      calls()
          .forEach(
              (name, call) -> {
                // Counts the calls of a round only now, because few cold calls fit into it.
                callFor(COMPILE_NANOS, call, direct);
                callFor(COMPILE_NANOS, call, guarded);
                int times = callFor(ROUND_NANOS, call, direct);
                for (int round = -WARM_UP; round < rounds; round++) {
                  // Alternates the order, because the second one finds everything warm.
                  boolean first = round % 2 == 0;
                  double one = time(call, first ? direct : guarded, times);
                  double other = time(call, first ? guarded : direct, times);
                  if (round >= 0) {
                    System.out.println(
                        name + " " + (first ? one : other) + " " + (first ? other : one));
                  }
                }
              });
    }
  }

  private static Map<String, Consumer<StorageBackend>> calls() {
    Map<String, Consumer<StorageBackend>> calls = new LinkedHashMap<>();
    calls.put("find", backend -> sink = backend.find(NODE).isPresent() ? 1 : 0);
    calls.put("attach", backend -> sink = backend.attach(NODE).readOnly() ? 1 : 0);
    calls.put("page", backend -> sink = backend.page(null, 50).size());
    calls.put("usage", backend -> sink = (int) backend.usage(NODE).exclusiveBytes());
    calls.put(
        "create+delete",
        backend -> {
          backend.create(COPY, 4096);
          backend.delete(COPY);
        });
    return calls;
  }

  private static void fill(StorageBackend backend) {
    backend.create(NODE, 1 << 20);
    backend.seal(NODE, Durability.RELAXED);
    for (int i = 0; i < NODES; i++) {
      backend.create(NodeId.of("other-" + i), 4096);
    }
  }

  private static ProbeContext at(Path root) throws IOException {
    return new ProbeContext(Files.createDirectories(root));
  }

  private static StorageBackendProvider direct() {
    return ServiceLoader.load(ModuleLayer.boot(), StorageBackendProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.id().equals(BACKEND))
        .findFirst()
        .orElseThrow();
  }

  private static StorageBackendProvider guarded() {
    for (Provider<?> provider : Plugins.load(PluginPolicy.BUILT_IN).providers(PluginKind.STORAGE)) {
      if (provider.id().equals(BACKEND)) {
        return (StorageBackendProvider) provider;
      }
    }
    throw new IllegalStateException("there is no storage backend " + BACKEND);
  }

  /** Makes calls for this long and returns their number. */
  private static int callFor(long nanos, Consumer<StorageBackend> call, StorageBackend backend) {
    int times = 0;
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      call.accept(backend);
      times++;
    }
    return times;
  }

  private static double time(Consumer<StorageBackend> call, StorageBackend backend, int times) {
    long begin = System.nanoTime();
    for (int i = 0; i < times; i++) {
      call.accept(backend);
    }
    return (System.nanoTime() - begin) / 1000.0 / times;
  }
}
