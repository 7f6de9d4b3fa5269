// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.linux.file.BtrfsSubvolumes;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.DirectorySnapshots;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFinding;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that foreign files among the trees are reported and prevent nothing from working. */
class ForeignTreesTest {
  private static final NodeId V = NodeId.of("v");

  private final Path dir;
  private final BtrfsProvider provider = new BtrfsProvider();

  ForeignTreesTest(@TempDir Path dir) {
    this.dir = dir;
  }

  private static Map<Path, StorageFinding.Kind> inspect(StorageBackend backend, boolean mend) {
    Map<Path, StorageFinding.Kind> kinds = new TreeMap<>();
    assertInstanceOf(StorageInspection.class, backend)
        .inspect(mend, finding -> kinds.put(finding.path(), finding.kind()));
    return kinds;
  }

  private static Path half(Path trees, String name) throws Exception {
    Path half = Files.createDirectory(trees.resolve(name));
    BtrfsSubvolumes.create(half.resolve("half"));
    return half;
  }

  /** Creates foreign files and returns their paths with the kinds an inspection reports. */
  private static Map<Path, StorageFinding.Kind> scatter(Path trees) throws Exception {
    Path mixed = half(trees, ".receive-mixed");
    Files.writeString(mixed.resolve("notes"), "mine");
    Path tree = trees.resolve(".receive-tree");
    BtrfsSubvolumes.create(tree);
    Map<Path, StorageFinding.Kind> foreign = new TreeMap<>();
    for (Path path :
        List.of(
            mixed,
            tree,
            Files.writeString(trees.resolve(".receive-file"), "mine"),
            Files.createSymbolicLink(trees.resolve(".receive-link"), mixed),
            Files.writeString(trees.resolve("notes"), "mine"),
            Files.writeString(trees.resolve(".hidden"), "mine"),
            Files.createDirectory(trees.resolve("plain")))) {
      foreign.put(path, StorageFinding.Kind.FOREIGN);
    }
    return foreign;
  }

  @Test
  void theyAreLeftAloneWhereARootIsOpened() throws Exception {
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20)) {
      Path trees = Files.createDirectory(fs.root().resolve("trees"));
      Map<Path, StorageFinding.Kind> foreign = scatter(trees);
      Path dead = half(trees, ".receive-dead");
      try (StorageBackend backend = provider.open(new ProbeContext(fs.root()))) {
        DirectorySnapshots opened = assertInstanceOf(DirectorySnapshots.class, backend);
        assertFalse(Files.exists(dead));
        assertEquals(foreign, inspect(backend, true));
        opened.createTree(V);
        assertEquals(List.of(V), opened.trees());
        assertEquals(foreign, inspect(backend, true));
        Path another = half(trees, ".receive-another");
        Map<Path, StorageFinding.Kind> all = new TreeMap<>(foreign);
        all.put(another, StorageFinding.Kind.LEFTOVER);
        assertEquals(all, inspect(backend, false));
        assertTrue(Files.exists(another));
        assertEquals(all, inspect(backend, true));
        assertFalse(Files.exists(another));
        opened.deleteTree(V);
      }
      for (Path path : foreign.keySet()) {
        assertTrue(Files.exists(path), path.toString());
      }
    }
  }

  @Test
  void theyAreToldWhereARootIsOnlyLookedAt() throws Exception {
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20)) {
      provider.open(new ProbeContext(fs.root())).close();
      Path trees = Files.createDirectory(fs.root().resolve("trees"));
      BtrfsSubvolumes.create(trees.resolve("v"));
      Map<Path, StorageFinding.Kind> all = new TreeMap<>(scatter(trees));
      Path dead = half(trees, ".receive-dead");
      all.put(dead, StorageFinding.Kind.LEFTOVER);
      try (StorageBackend backend = provider.examine(new ProbeContext(fs.root()))) {
        assertEquals(all, inspect(backend, false));
        assertTrue(Files.exists(dead));
        assertEquals(all, inspect(backend, true));
        assertFalse(Files.exists(dead));
      }
    }
  }

  @Test
  void somethingElseInThePlaceOfTheTreesKeepsNoNodeFromItsUser() throws Exception {
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20)) {
      Path file = Files.writeString(fs.root().resolve("trees"), "mine");
      try (StorageBackend backend = provider.open(new ProbeContext(fs.root()))) {
        backend.create(V, 4096);
        assertEquals(Map.of(file, StorageFinding.Kind.FOREIGN), inspect(backend, true));
        assertEquals(List.of(), ((DirectorySnapshots) backend).trees());
      }
      assertEquals("mine", Files.readString(file));
    }
  }

  @Test
  void aPlaceWithoutTreesGoesAtTheNextStart() throws Exception {
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20)) {
      Path trees = Files.createDirectory(fs.root().resolve("trees"));
      provider.open(new ProbeContext(fs.root())).close();
      assertFalse(Files.exists(trees));
    }
  }
}
