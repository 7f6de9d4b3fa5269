// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.request;

import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.volume.VolumeMountInfo;
import dev.ramet.cli.command.RequestField;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options for the volumes that a sandbox mounts. */
public final class VolumeOptions {
  @Option(
      names = "--volume",
      paramLabel = "NAME:PATH",
      description = "A volume and the absolute path to mount it at. May be repeated.")
  @RequestField("volumeMounts")
  private List<String> volumes = new ArrayList<>();

  /** Returns the request with these volumes. */
  public CreateSandbox applyTo(CreateSandbox r) {
    if (volumes.isEmpty()) {
      return r;
    }
    List<VolumeMountInfo> mounts = new ArrayList<>();
    for (String volume : volumes) {
      int colon = volume.indexOf(':');
      if (colon < 1 || colon == volume.length() - 1) {
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT,
            "--volume: not of the form NAME:PATH: " + volume,
            "write it like data:/mnt/data",
            null);
      }
      mounts.add(new VolumeMountInfo(volume.substring(0, colon), volume.substring(colon + 1)));
    }
    return r.toBuilder().volumeMounts(List.copyOf(mounts)).build();
  }
}
