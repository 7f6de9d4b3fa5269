// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

import static dev.ramet.backends.dmsnapshot.Root.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.disk.Steps;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.block.DeviceMapper;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process before each change it makes to layers and devices, while another user has its
 * volume open, and checks that the next process recovers the root.
 */
class KillTest {
  private static final NodeId A = NodeId.of("a");
  private static final NodeId B = NodeId.of("b");
  private static final NodeId F = NodeId.of("f");

  private final Path dir;
  private final Map<Long, Long> volume = new HashMap<>();
  private final Map<NodeId, Map<Long, Long>> expected = new HashMap<>();

  KillTest(@TempDir Path dir) {
    this.dir = dir;
  }

  /** Allows a number of changes and then kills the process. */
  private static final class Killer implements Steps {
    private int left;

    Killer(int left) {
      this.left = left;
    }

    @Override
    public synchronized void before(String step) {
      if (left-- <= 0) {
        throw new Killed();
      }
    }
  }

  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  @Test
  void nothingIsLostWhereverItDies() throws Exception {
    int kills = 0;
    try (Root root = new Root(dir, 256 << 20, 1 << 20)) {
      root.backend().create(V, 4 << 20);
      try (Fd device = root.device(V)) {
        boolean done = false;
        for (int step = 0; !done; step++) {
          try {
            // Opening has steps too.
            root.reopen(true, new Killer(step));
            work(root, device, step + 1);
            done = true;
          } catch (Killed e) {
            kills++;
          }
          root.reopen(true, Steps.NONE);
          check(root, device);
        }
      }
    }
    assertTrue(kills > 40, "only " + kills + " kills");
    System.out.println("KillTest: " + kills + " kills");
    assertEquals(List.of(), Root.devices());
  }

  private void work(Root root, Fd device, long value) throws Exception {
    DmSnapshotBackend backend = root.backend();
    put(device, 0, value);
    expected.put(A, Map.copyOf(volume));
    backend.snapshot(V, A, Durability.RELAXED);
    put(device, 1, value);
    expected.put(B, Map.copyOf(volume));
    backend.snapshot(V, B, Durability.DURABLE);
    put(device, 2, value);
    expected.put(F, expected.get(B));
    backend.fork(B, F, Durability.RELAXED);
    Map<Long, Long> fork = new HashMap<>(volume);
    try (Fd other = root.device(F)) {
      fork.put(2L, 0L);
      fork.putAll(expected.get(B));
      Root.write(other, 3, value);
      fork.put(3L, value);
      expected.put(F, fork);
    }
    backend.seal(F, Durability.RELAXED);
    backend.delete(A);
    backend.awaitMerges();
    backend.delete(F);
    backend.delete(B);
    backend.awaitMerges();
  }

  private static String devicesNow() {
    try (DeviceMapper mapper = DeviceMapper.open()) {
      StringBuilder text = new StringBuilder();
      for (String name : Root.devices()) {
        text.append(name).append(' ').append(mapper.table(name)).append('\n');
      }
      return text.toString();
    } catch (LinuxException e) {
      return e.toString();
    }
  }

  private void put(Fd device, long page, long value) throws LinuxException {
    Root.write(device, page, value);
    volume.put(page, value);
  }

  private void check(Root root, Fd device) throws Exception {
    for (Map.Entry<Long, Long> page : volume.entrySet()) {
      assertEquals(page.getValue(), Root.read(device, page.getKey()));
    }
    for (Node node : root.backend().list()) {
      Map<Long, Long> pages = expected.get(node.id());
      if (pages != null) {
        for (Map.Entry<Long, Long> page : pages.entrySet()) {
          assertEquals(page.getValue(), root.read(node.id(), page.getKey()), node::toString);
        }
        root.backend().delete(node.id());
      }
    }
    root.backend().awaitMerges();
    assertEquals(volume.getOrDefault(0L, 0L), Root.read(device, 0));
    // Only the volume's files and devices are left: none half-made or orphaned.
    long patience = System.nanoTime() + 300_000_000_000L;
    while (Root.devices().size() > root.backend().depth(V) && System.nanoTime() < patience) {
      Thread.sleep(5);
    }
    assertEquals(root.backend().depth(V), Root.devices().size(), () -> devicesNow());
    try (var layers = java.nio.file.Files.list(root.fs().root().resolve("layers"))) {
      assertEquals(root.backend().depth(V) + 1, layers.count());
    }
  }
}
