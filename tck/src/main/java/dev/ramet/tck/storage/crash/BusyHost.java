// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;

/**
 * The main class of another process with the provider under test: it changes a root until it is
 * killed, or makes one request.
 */
final class BusyHost {
  /** The prefix of an error message that no such process should ever print. */
  static final String SURPRISE = "surprise: ";

  private static final Set<ErrorCode> EXPECTED =
      Set.of(ErrorCode.NOT_FOUND, ErrorCode.ALREADY_EXISTS, ErrorCode.CONFLICT, ErrorCode.NO_SPACE);

  private static final int THREADS = 3;
  private static final int NAMES = 4;

  private BusyHost() {}

  /**
   * Runs the process.
   *
   * @param arguments the provider's class, the root, what to do, an image to import, a file for
   *     acknowledged changes, a seed
   */
  public static void main(String[] arguments) throws Exception {
    StorageBackendProvider provider =
        Class.forName(arguments[0])
            .asSubclass(StorageBackendProvider.class)
            .getDeclaredConstructor()
            .newInstance();
    ProbeContext where = new ProbeContext(Path.of(arguments[1]));
    switch (arguments[2]) {
      case "probe" -> System.out.println(describe(provider.probe(where)));
      case "open" -> System.out.println(open(provider, where));
      default ->
          beBusy(
              provider.open(where),
              Path.of(arguments[3]),
              Path.of(arguments[4]),
              Long.parseLong(arguments[5]));
    }
  }

  private static String describe(ProbeResult result) {
    if (result instanceof ProbeResult.Unusable unusable) {
      return "unusable " + (unusable.remedy().isBlank() ? "without a remedy" : "with a remedy");
    }
    return result.toString();
  }

  private static String open(StorageBackendProvider provider, ProbeContext where) {
    try (StorageBackend backend = provider.open(where)) {
      return "opened, with " + backend.list().size() + " nodes";
    } catch (RametException e) {
      return e.code() + (e.remedy() == null ? " without a remedy" : " with a remedy");
    }
  }

  private static void beBusy(StorageBackend backend, Path image, Path told, long seed)
      throws IOException {
    Acknowledgements acknowledged = new Acknowledgements(told);
    // Ensures that something exists before the kill, however slow this host is.
    NodeId first = NodeId.of("first");
    acknowledged.begins(first);
    acknowledged.made(backend.importFrom(first, image));
    System.out.println("ready");
    for (int thread = 0; thread < THREADS; thread++) {
      int own = thread;
      Random random = new Random(seed * 10 + thread);
      new Thread(() -> change(backend, image, acknowledged, own, random)).start();
    }
  }

  /** Changes nodes that only this thread uses, based on anybody's. */
  private static void change(
      StorageBackend backend, Path image, Acknowledgements acknowledged, int own, Random random) {
    while (true) {
      NodeId id = name(own, random);
      NodeId from = name(random.nextInt(THREADS), random);
      Durability durability = random.nextInt(4) == 0 ? Durability.DURABLE : Durability.RELAXED;
      acknowledged.begins(id);
      try {
        switch (random.nextInt(8)) {
          case 0, 1 -> acknowledged.made(backend.importFrom(id, image));
          case 2, 3 -> acknowledged.made(backend.snapshot(from, id, durability));
          case 4 -> acknowledged.made(backend.fork(from, id, durability));
          case 5 -> acknowledged.made(backend.seal(id, durability));
          default -> {
            backend.delete(id);
            acknowledged.gone(id);
          }
        }
      } catch (RametException e) {
        if (EXPECTED.contains(e.code())) {
          acknowledged.refused(id);
        } else {
          System.err.println(SURPRISE + e.code() + " " + e.getMessage());
        }
      }
    }
  }

  private static NodeId name(int thread, Random random) {
    return NodeId.of("t" + thread + "n" + random.nextInt(NAMES));
  }
}
