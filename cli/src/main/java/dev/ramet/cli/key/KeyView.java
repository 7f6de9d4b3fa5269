// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.key;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.cli.http.Json;
import dev.ramet.keys.ApiKey;

/** Converts keys to JSON for scripts. */
final class KeyView {
  private KeyView() {}

  static ObjectNode toJson(ApiKey key) {
    return Json.mapper()
        .createObjectNode()
        .put("id", key.id())
        .put("name", key.name())
        .put("scope", key.scope().label())
        .put("createdAt", key.createdAt().toString());
  }
}
