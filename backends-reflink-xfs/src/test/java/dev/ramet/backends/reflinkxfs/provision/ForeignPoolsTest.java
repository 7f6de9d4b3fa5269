// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.storage.root.ProvisioningStatus.State;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the provisioner touches nothing that it did not make. */
final class ForeignPoolsTest extends XfsProvisionerGround {
  ForeignPoolsTest(@TempDir Path dir) throws Exception {
    super(dir);
  }

  @Test
  void touchesNothingItDidNotMake() throws Exception {
    for (Path foreign : List.of(pool.image(), pool.newImage(), pool.mountPoint(), pool.marker())) {
      Files.writeString(foreign, "mine");
      List<String> before = names();
      assertEquals(State.IMPOSSIBLE, state());
      refused(ErrorCode.CONFLICT, () -> provisioner.provision(root, SIZE));
      assertEquals(before, names());
      assertEquals("mine", Files.readString(foreign));
      Files.delete(foreign);
    }
    Files.writeString(pool.image(), "mine");
    refused(ErrorCode.CONFLICT, () -> provisioner.remove(root));
    assertEquals("mine", Files.readString(pool.image()));
  }

  @Test
  void anImageThatWasSwappedIsNotOurs() throws Exception {
    Path place = provisioner.provision(root, SIZE);
    LoopFs.run(List.of("umount", place.toString()));
    Files.writeString(pool.image(), "another image");
    refused(ErrorCode.CONFLICT, () -> provisioner.remove(root));
    refused(ErrorCode.CONFLICT, () -> provisioner.provision(root, SIZE));
    assertEquals("another image", Files.readString(pool.image()));
  }

  @Test
  void aForeignMountIsLeftAlone() throws Exception {
    Files.createDirectory(pool.mountPoint());
    LoopFs.run(List.of("mount", "-t", "tmpfs", "other", pool.mountPoint().toString()));
    refused(ErrorCode.CONFLICT, () -> provisioner.provision(root, SIZE));
    assertEquals(State.IMPOSSIBLE, state());
  }
}
