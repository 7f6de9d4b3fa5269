// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.errors.RametException;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Guards a storage provisioner, see {@link Guard}. If its status call breaks the contract, its
 * status is that it cannot provision, so that the others are still asked.
 *
 * @param provisioner the plugin's provisioner
 * @param guard names the plugin
 * @param id the provisioner's id
 */
public record GuardedProvisioner(StorageProvisioner provisioner, Guard guard, String id)
    implements StorageProvisioner {
  @Override
  public String backendId() {
    try {
      return guard.requireNonNull("backendId", provisioner.backendId());
    } catch (Throwable e) {
      throw guard.failed("backendId", e);
    }
  }

  @Override
  public ProvisioningStatus status(Path dataRoot) {
    RametException failure;
    try {
      ProvisioningStatus status = provisioner.status(dataRoot);
      if (isComplete(status)) {
        return status;
      }
      failure = guard.contractViolation("status", String.valueOf(status));
    } catch (RametException e) {
      throw e;
    } catch (Throwable e) {
      failure = guard.failed("status", e);
    }
    return new ProvisioningStatus(
        ProvisioningStatus.State.IMPOSSIBLE,
        dataRoot,
        0,
        String.valueOf(failure.getMessage()),
        failure.remedy());
  }

  private static boolean isComplete(@Nullable ProvisioningStatus status) {
    return status != null
        && Stream.of(status.state(), status.root(), status.detail()).allMatch(Objects::nonNull);
  }

  @Override
  public Path provision(Path dataRoot, @Nullable Long sizeBytes) {
    try {
      return guard.requireNonNull("provision", provisioner.provision(dataRoot, sizeBytes));
    } catch (Throwable e) {
      throw guard.failed("provision", e);
    }
  }

  @Override
  public boolean stop(Path dataRoot) {
    try {
      return provisioner.stop(dataRoot);
    } catch (Throwable e) {
      throw guard.failed("stop", e);
    }
  }

  @Override
  public void remove(Path dataRoot) {
    try {
      provisioner.remove(dataRoot);
    } catch (Throwable e) {
      throw guard.failed("remove", e);
    }
  }
}
