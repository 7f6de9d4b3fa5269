// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.reflinkxfs.provision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.root.ProvisioningStatus.State;
import dev.ramet.testing.LoopFs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;

/** A data root on ext4, without a pool at first. */
abstract class XfsProvisionerGround {
  static final long SIZE = 304L << 20;

  final XfsProvisioner provisioner = new XfsProvisioner();
  final Path dir;
  final LoopFs fs;
  final Path root;
  final Pool pool;

  XfsProvisionerGround(Path dir) throws Exception {
    this.dir = dir;
    fs = LoopFs.ext4(dir, 1L << 30);
    root = fs.root().toRealPath();
    pool = new Pool(root);
  }

  @BeforeEach
  void startsEmpty() throws Exception {
    Files.deleteIfExists(root.resolve("lost+found"));
    assertEquals(List.of(), names());
  }

  @AfterEach
  void close() throws Exception {
    if (Mounts.deviceAt(pool.mountPoint()) != null) {
      LoopFs.run(List.of("umount", pool.mountPoint().toString()));
    }
    fs.close();
  }

  List<String> names() {
    String[] names = root.toFile().list();
    List<String> sorted = new ArrayList<>(Arrays.asList(names == null ? new String[0] : names));
    Collections.sort(sorted);
    return sorted;
  }

  State state() {
    return provisioner.status(root).state();
  }

  static RametException refused(ErrorCode code, Executable call) {
    RametException e = assertThrows(RametException.class, call);
    assertEquals(code, e.code(), e.getMessage());
    return e;
  }
}
