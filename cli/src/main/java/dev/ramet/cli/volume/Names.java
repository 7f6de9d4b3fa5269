// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.volume;

import dev.ramet.api.volume.VolumeInfo;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;

/** Finds the ids of volumes by their names, because the host's routes need ids. */
final class Names {
  private Names() {}

  /**
   * Returns the id of the volume with that name; if there is none, returns the argument, which may
   * be an id.
   */
  static String id(Client client, String nameOrId) {
    for (VolumeInfo volume : Json.read(client.getAllPages("/volumes"), VolumeInfo[].class)) {
      if (volume.name().equals(nameOrId)) {
        return volume.volumeID();
      }
    }
    return nameOrId;
  }
}
