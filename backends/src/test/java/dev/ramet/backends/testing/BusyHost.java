// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.testing;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;

/** A process that changes a root without end, until it is killed. */
public final class BusyHost {
  /** What it prints before an error that no such user should ever see. */
  static final String SURPRISE = "surprise: ";

  private static final Set<ErrorCode> EXPECTED =
      Set.of(ErrorCode.NOT_FOUND, ErrorCode.ALREADY_EXISTS, ErrorCode.CONFLICT, ErrorCode.NO_SPACE);

  private BusyHost() {}

  /**
   * Runs.
   *
   * @param arguments the provider's class, the root, an image to import, a seed
   */
  public static void main(String[] arguments) throws Exception {
    StorageBackendProvider provider =
        Class.forName(arguments[0])
            .asSubclass(StorageBackendProvider.class)
            .getDeclaredConstructor()
            .newInstance();
    Path image = Path.of(arguments[2]);
    StorageBackend backend = provider.open(new ProbeContext(Path.of(arguments[1])));
    System.out.println("ready");
    for (int thread = 0; thread < 3; thread++) {
      Random random = new Random(Long.parseLong(arguments[3]) * 10 + thread);
      new Thread(() -> change(backend, image, random)).start();
    }
  }

  private static void change(StorageBackend backend, Path image, Random random) {
    while (true) {
      NodeId id = NodeId.of("n" + random.nextInt(8));
      NodeId from = NodeId.of("n" + random.nextInt(8));
      Durability durability = random.nextInt(4) == 0 ? Durability.DURABLE : Durability.RELAXED;
      try {
        switch (random.nextInt(8)) {
          case 0, 1 -> backend.importFrom(id, image);
          case 2, 3 -> backend.snapshot(from, id, durability);
          case 4 -> backend.fork(from, id, durability);
          case 5 -> backend.seal(from, durability);
          default -> backend.delete(id);
        }
      } catch (RametException e) {
        if (!EXPECTED.contains(e.code())) {
          System.err.println(SURPRISE + e.code() + " " + e.getMessage());
        }
      }
    }
  }
}
