// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.btrfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.file.BtrfsSubvolumes;
import dev.ramet.linux.file.Fd;
import dev.ramet.linux.file.NoCow;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.TreeStreams;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BtrfsProviderTest {
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");
  private static final NodeId F = NodeId.of("f");

  private final Path dir;
  private final BtrfsProvider provider = new BtrfsProvider();

  BtrfsProviderTest(@TempDir Path dir) {
    this.dir = dir;
  }

  @Test
  void provesItOnBtrfsAndLeavesNoTrace() {
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20)) {
      ProbeResult.Usable usable =
          assertInstanceOf(ProbeResult.Usable.class, provider.probe(new ProbeContext(fs.root())));
      assertEquals(
          Set.of(
              "copy-on-write",
              "copy-preparation",
              "image-compaction",
              "grow",
              "image-transfer",
              "inspection",
              "directory-snapshots",
              "incremental-streams"),
          usable.facts().names());
      assertTrue(usable.evidence().containsKey("subvolume-micros"));
      assertEquals(0, fs.root().toFile().list().length);
    }
  }

  /** As {@code rm -r} and the engine do it, who know nothing of subvolumes. */
  @Test
  void whatAKilledProbeLeavesIsDeletedLikeAnyDirectory() throws Exception {
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20)) {
      boolean[] whole = new boolean[1];
      for (int kill = 0; !whole[0]; kill++) {
        int[] left = {kill};
        try {
          SubvolumeProbe.run(
              fs.root(),
              new HashMap<>(),
              step -> {
                if (left[0]-- <= 0) {
                  throw new IllegalStateException("killed before: " + step);
                }
              });
          whole[0] = true;
          assertTrue(kill >= 8, "every step was one to be killed at");
        } catch (IllegalStateException killed) {
          try (Stream<Path> remains = Files.walk(fs.root())) {
            for (Path path : remains.skip(1).sorted(Comparator.reverseOrder()).toList()) {
              Files.delete(path);
            }
          }
        }
        assertEquals(0, fs.root().toFile().list().length);
      }
    }
  }

  @Test
  void leavesOtherFileSystemsToOthers() {
    try (LoopFs fs = LoopFs.tmpfs(dir, 16 << 20)) {
      ProbeResult.Unusable unusable =
          assertInstanceOf(ProbeResult.Unusable.class, provider.probe(new ProbeContext(fs.root())));
      assertEquals("not Btrfs", unusable.reason());
      RametException e =
          assertThrows(
              RametException.class, () -> provider.open(new ProbeContext(fs.root())).close());
      assertEquals(ErrorCode.HOST_UNFIT, e.code());
      assertFalse(Files.exists(fs.root().resolve("volumes")));
    }
  }

  /** Files with and without {@code chattr +C} cannot share blocks; copies follow their source. */
  @Test
  void imagesThatAreOverwrittenInPlaceAreCopiedToo() throws Exception {
    byte[] content = new byte[1 << 20];
    new Random(6).nextBytes(content);
    Path image = Files.write(dir.resolve("image"), content);
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20);
        StorageBackend backend = provider.open(new ProbeContext(fs.root()))) {
      backend.importFrom(V, image);
      LoopFs.run(List.of("chattr", "+C", fs.root().resolve("volumes").toString()));
      LoopFs.run(List.of("chattr", "+C", fs.root().resolve("volumes/v").toString()));
      backend.snapshot(V, S, Durability.DURABLE);
      assertEquals(-1, Files.mismatch(image, backend.attach(S).path()));
      assertFalse(noCow(backend.attach(S).path()), "a copy is of its source's kind");
      assertEquals(0, backend.usage(S).exclusiveBytes());
      NodeId inPlace = NodeId.of("in-place");
      backend.create(inPlace, 1 << 20);
      assertTrue(noCow(backend.attach(inPlace).path()), "new images follow their directory");
      LoopFs.run(List.of("chattr", "-C", fs.root().resolve("volumes").toString()));
      NodeId copy = NodeId.of("copy");
      backend.snapshot(inPlace, copy, Durability.DURABLE);
      backend.fork(copy, F, Durability.DURABLE);
      assertTrue(noCow(backend.attach(F).path()));
      try (var file = new java.io.RandomAccessFile(backend.attach(F).path().toFile(), "rw")) {
        file.write(7);
      }
      try (var file = new java.io.RandomAccessFile(backend.attach(copy).path().toFile(), "r")) {
        assertEquals(0, file.read());
      }
    }
  }

  private static boolean noCow(Path path) throws Exception {
    try (Fd fd = Fd.openRead(path)) {
      return NoCow.get(fd);
    }
  }

  @Test
  void treesTravelToAnotherHost() throws Exception {
    Path here = Files.createDirectory(dir.resolve("here"));
    Path there = Files.createDirectory(dir.resolve("there"));
    try (LoopFs from = LoopFs.btrfs(here, 256 << 20);
        LoopFs to = LoopFs.btrfs(there, 256 << 20);
        StorageBackend sender = provider.open(new ProbeContext(from.root()));
        StorageBackend receiver = provider.open(new ProbeContext(to.root()))) {
      TreeStreams trees = assertInstanceOf(TreeStreams.class, sender);
      TreeStreams others = assertInstanceOf(TreeStreams.class, receiver);
      Path tree = trees.createTree(V);
      byte[] large = new byte[2 << 20];
      new Random(8).nextBytes(large);
      Files.write(tree.resolve("large"), large);
      trees.snapshotTree(V, S, true);
      Files.writeString(tree.resolve("more"), "more");
      trees.snapshotTree(V, F, true);
      Path whole = dir.resolve("whole");
      Path difference = dir.resolve("difference");
      trees.sendTree(S, null, whole);
      trees.sendTree(F, S, difference);
      RametException e =
          assertThrows(RametException.class, () -> others.receiveTree(difference, F));
      assertEquals(ErrorCode.CONFLICT, e.code());
      others.receiveTree(whole, NodeId.of("first"));
      Path received = others.receiveTree(difference, NodeId.of("second"));
      assertEquals("more", Files.readString(received.resolve("more")));
      assertEquals(-1, Files.mismatch(tree.resolve("large"), received.resolve("large")));
      assertEquals(List.of(NodeId.of("first"), NodeId.of("second")), others.trees());
    }
  }

  @Test
  void whatWasBeingReceivedIsRemovedAndForeignThingsStay() throws Exception {
    try (LoopFs fs = LoopFs.btrfs(dir, 256 << 20)) {
      Path trees = Files.createDirectory(fs.root().resolve("trees"));
      Path half = Files.createDirectory(trees.resolve(".receive-x"));
      BtrfsSubvolumes.create(half.resolve("half"));
      Files.writeString(half.resolve("half/file"), "half");
      Files.createDirectory(trees.resolve("plain"));
      try (StorageBackend backend = provider.open(new ProbeContext(fs.root()))) {
        TreeStreams opened = assertInstanceOf(TreeStreams.class, backend);
        assertEquals(List.of(), opened.trees());
        assertFalse(Files.exists(half));
        RametException e =
            assertThrows(RametException.class, () -> opened.createTree(NodeId.of("plain")));
        assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
      }
      assertTrue(Files.isDirectory(trees.resolve("plain")));
    }
  }
}
