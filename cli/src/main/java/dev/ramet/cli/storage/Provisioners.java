// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.cli.http.Json;
import dev.ramet.engine.OwnerOnlyFiles;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The provisioners on the module path. A separate class, because only the launcher's full paths
 * have them.
 */
final class Provisioners {
  private static final int MIB_SHIFT = 20;

  private Provisioners() {}

  static List<StorageProvisioner> all() {
    List<StorageProvisioner> found =
        ServiceLoader.load(ModuleLayer.boot(), StorageProvisioner.class).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
    if (found.isEmpty()) {
      throw new RametException(
          ErrorCode.UNSUPPORTED, "no plugin here can make a pool; run this with the launcher");
    }
    return found;
  }

  static Path requireDataRoot(Path dataRoot) {
    if (!Files.isDirectory(dataRoot)) {
      throw RametException.notFound("data root", dataRoot.toString());
    }
    return dataRoot;
  }

  static Path createDataRoot(Path dataRoot) {
    OwnerOnlyFiles.restrictNewFiles();
    OwnerOnlyFiles.secureRoot("data root", dataRoot);
    return dataRoot;
  }

  /**
   * Returns why there is no pool of the requested size, because a pool keeps its size; null if
   * there is one.
   */
  static @Nullable String sizeMismatch(StorageProvisioner provisioner, Path dataRoot, long bytes) {
    ProvisioningStatus status = provisioner.status(dataRoot);
    if (status.state() == ProvisioningStatus.State.UNNEEDED) {
      return "no pool is needed, " + status.detail();
    }
    return status.sizeBytes() == bytes
        ? null
        : "the pool was made before, with "
            + (status.sizeBytes() >> MIB_SHIFT)
            + " MiB; to change that, remove it with all its content (ramet storage remove) and make"
            + " it again";
  }

  /** Returns the state of a provisioner as JSON. */
  static ObjectNode json(StorageProvisioner provisioner, ProvisioningStatus status) {
    ObjectNode node = Json.mapper().createObjectNode();
    node.put("id", provisioner.id());
    node.put("state", status.state().name().toLowerCase(java.util.Locale.ROOT));
    node.put("detail", status.detail());
    node.put("sizeBytes", status.sizeBytes());
    if (status.remedy() != null) {
      node.put("remedy", status.remedy());
    }
    return node;
  }

  /** Returns one line about a provisioner. */
  static String line(StorageProvisioner provisioner, ProvisioningStatus status) {
    String text =
        provisioner.id()
            + ": "
            + status.state().name().toLowerCase(java.util.Locale.ROOT)
            + ": "
            + status.detail();
    return status.remedy() == null ? text : text + " (" + status.remedy() + ")";
  }
}
