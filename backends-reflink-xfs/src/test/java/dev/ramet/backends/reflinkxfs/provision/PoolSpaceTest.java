// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.backends.reflinkxfs.ReflinkXfsProvider;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.ProvisioningStatus.State;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a pool does where space is short. */
final class PoolSpaceTest extends XfsProvisionerGround {
  PoolSpaceTest(@TempDir Path dir) throws Exception {
    super(dir);
  }

  @Test
  void sizesThatCannotBe() {
    refused(ErrorCode.INVALID_ARGUMENT, () -> provisioner.provision(root, PoolSize.MIN - 1));
    refused(ErrorCode.NO_SPACE, () -> provisioner.provision(root, 1L << 40));
    assertEquals(List.of(), names());
    refused(ErrorCode.INVALID_ARGUMENT, () -> provisioner.provision(root.resolve("absent"), SIZE));
  }

  @Test
  void tooLittleSpaceIsSaidBeforeAnythingIsMade() throws Exception {
    fs.fill(400L << 20);
    assertEquals(State.IMPOSSIBLE, state());
    refused(ErrorCode.NO_SPACE, () -> provisioner.provision(root, null));
    assertEquals(List.of("ballast"), names());
  }

  @Test
  void aFullDiskAroundThePoolIsTheOneThatIsNamed() throws Exception {
    Path place = provisioner.provision(root, SIZE);
    Path image = dir.resolve("image");
    byte[] content = new byte[32 << 20];
    new java.util.Random(5).nextBytes(content);
    Files.write(image, content);
    try (StorageBackend backend = new ReflinkXfsProvider().open(new ProbeContext(place))) {
      fs.fill(0);
      RametException e =
          refused(ErrorCode.NO_SPACE, () -> backend.importFrom(NodeId.of("v"), image));
      String message = String.valueOf(e.getMessage());
      assertTrue(message.contains("no space left on " + root + " (ext4, 0 of "), message);
      assertTrue(message.contains(pool.image().toString()), message);
      assertTrue(String.valueOf(e.remedy()).startsWith("free space there"), e.remedy());
      fs.unfill();
    }
  }

  @Test
  void aFullDataRootIsAnAnswerWithARemedy() throws Exception {
    Path other = Files.createDirectory(dir.resolve("other"));
    try (LoopFs full = LoopFs.btrfs(other, 256 << 20)) {
      full.fill(0);
      ProvisioningStatus status = provisioner.status(full.root());
      // A small file may still fit there, in the space that Btrfs keeps for names.
      if (status.state() != State.UNNEEDED) {
        assertEquals(State.IMPOSSIBLE, status.state());
        assertTrue(String.valueOf(status.remedy()).contains("delete"), status::toString);
      }
    }
  }
}
