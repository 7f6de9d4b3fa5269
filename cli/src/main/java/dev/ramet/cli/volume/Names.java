// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.volume;

import dev.ramet.api.volume.VolumeInfo;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;

/** Finds volumes by the names that people call them; the host asks for ids. */
final class Names {
  private Names() {}

  /** The id of the volume with that name; without one, the name itself, which may be an id. */
  static String id(Client client, String nameOrId) {
    for (VolumeInfo volume : Json.read(client.all("/volumes"), VolumeInfo[].class)) {
      if (volume.name().equals(nameOrId)) {
        return volume.volumeID();
      }
    }
    return nameOrId;
  }
}
