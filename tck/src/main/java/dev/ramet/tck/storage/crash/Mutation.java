// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.V;

import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A change to a root that holds a volume {@code v}, its snapshot {@code s}, a fork {@code f} of
 * that, and {@code lone}, a volume by itself.
 *
 * @param name for people
 * @param call makes the change
 */
record Mutation(String name, Call call) {
  private static final NodeId N = NodeId.of("n");
  private static final NodeId LONE = NodeId.of("lone");

  /** Makes the change. */
  interface Call {
    void on(StorageBackend backend);
  }

  /** Creates the nodes that all mutations start from. */
  static void prepare(World world) {
    world.volume(V, '1');
    world.backend().snapshot(V, S, Durability.RELAXED);
    world.write(V, 4, '2');
    world.backend().fork(S, F, Durability.RELAXED);
    world.write(F, 3, 'f');
    world.volume(LONE, 'l');
  }

  static List<Mutation> all(World world, Path image) {
    List<Mutation> all = new ArrayList<>();
    all.add(new Mutation("import", backend -> backend.importFrom(N, image)));
    for (Durability durability : Durability.values()) {
      String how = " (" + durability + ")";
      all.add(new Mutation("create" + how, backend -> backend.create(N, SIZE, durability)));
      all.add(new Mutation("snapshot" + how, backend -> backend.snapshot(V, N, durability)));
      all.add(
          new Mutation(
              "snapshot of a snapshot" + how, backend -> backend.snapshot(S, N, durability)));
      all.add(new Mutation("fork" + how, backend -> backend.fork(S, N, durability)));
      all.add(new Mutation("seal" + how, backend -> backend.seal(F, durability)));
    }
    all.add(new Mutation("delete an origin with descendants", backend -> backend.delete(V)));
    all.add(new Mutation("delete a snapshot", backend -> backend.delete(S)));
    all.add(new Mutation("delete the last node of an origin", backend -> backend.delete(LONE)));
    all.add(new Mutation("flush", backend -> backend.flush(V)));
    all.add(new Mutation("write back", backend -> backend.writeBack(V)));
    if (world.backend() instanceof Growable) {
      all.add(new Mutation("grow", backend -> ((Growable) backend).grow(V, 2 * SIZE)));
    }
    return all;
  }
}
