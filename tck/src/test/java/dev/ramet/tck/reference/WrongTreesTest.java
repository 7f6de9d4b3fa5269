// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.DirectorySnapshots;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.tck.StorageBackendTck;
import dev.ramet.tck.storage.StepControl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Tests that the kit detects faults of trees that are plain directories, created and copied as
 * such.
 */
class WrongTreesTest {
  @Test
  void aPlaceThatGoesWhileATreeIsMade() {
    Failures.expect(
        PlainDirectories.class,
        StorageBackendTck.TreeLives.class,
        "manyThreadsOnFewTrees",
        "no other thread explains that a tree cannot be made");
  }

  @Test
  void aCopyThatIsThereBeforeItIsWhole() {
    Failures.expect(
        PlainDirectories.class,
        StorageBackendTck.TreeLives.class,
        "aKillAtAnyStep",
        "a change of trees must be done or not done");
  }

  static class PlainDirectories extends WrongBackend {
    @Override
    Set<StorageFeature> features(Set<StorageFeature> reference) {
      reference.add(StorageFeature.DIRECTORY_SNAPSHOTS);
      return reference;
    }

    @Override
    StorageBackend open(Path root, ReferenceDisk disk, StepControl.Observer observer) {
      return new PlainTrees(root, disk, observer);
    }
  }

  static final class PlainTrees extends ReferenceBackend implements DirectorySnapshots {
    private final Path place;

    PlainTrees(Path root, ReferenceDisk disk, StepControl.Observer steps) {
      super(root, disk, steps);
      this.place = root.resolve("trees");
    }

    @Override
    public Path createTree(NodeId id) {
      Path tree = place.resolve(id.value());
      try {
        Files.createDirectories(place);
        LockSupport.parkNanos(100_000);
        steps.before("make tree");
        return Files.createDirectory(tree);
      } catch (IOException e) {
        throw failure(e);
      }
    }

    @Override
    public Path snapshotTree(NodeId tree, NodeId id, boolean readOnly) {
      Path copy = place.resolve(id.value());
      try (var files = Files.walk(treePath(tree))) {
        for (Path path : files.sorted().toList()) {
          steps.before("copy");
          Files.copy(path, copy.resolve(treePath(tree).relativize(path).toString()));
        }
        return copy;
      } catch (IOException e) {
        throw failure(e);
      }
    }

    @Override
    public void deleteTree(NodeId id) {
      Path tree = place.resolve(id.value());
      steps.before("delete tree");
      try (var files = Files.walk(tree)) {
        for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
        Files.deleteIfExists(place);
      } catch (NoSuchFileException | DirectoryNotEmptyException e) {
        // The directory is missing, or other trees are left.
      } catch (IOException e) {
        throw failure(e);
      }
    }

    private static RametException failure(IOException e) {
      if (e instanceof FileAlreadyExistsException) {
        return new RametException(ErrorCode.ALREADY_EXISTS, "the name is taken", e);
      }
      return new RametException(
          e instanceof NoSuchFileException ? ErrorCode.NOT_FOUND : ErrorCode.HOST_UNFIT,
          e.toString(),
          e);
    }

    @Override
    public Path treePath(NodeId id) {
      Path tree = place.resolve(id.value());
      if (!Files.isDirectory(tree)) {
        throw RametException.notFound("tree", id.value());
      }
      return tree;
    }

    @Override
    public List<NodeId> trees() {
      if (!Files.isDirectory(place)) {
        return List.of();
      }
      try (var files = Files.list(place)) {
        return files.map(path -> NodeId.of(path.getFileName().toString())).sorted().toList();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
