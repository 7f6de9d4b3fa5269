// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Makes the record of an increment as earlier versions wrote it: with SHA-256s of whole images. */
final class OldIncrement {
  private static final ObjectMapper JSON = new ObjectMapper();

  private OldIncrement() {}

  /**
   * Rewrites a record.
   *
   * @param base full export of the base
   * @param full full export of the increment's snapshot
   */
  static void rewrite(Path record, Path base, Path full) throws IOException {
    ObjectNode root = ((ObjectNode) JSON.readTree(record.toFile())).put("format", 2);
    for (String image : List.of("disk", "memory")) {
      String name = image + ".raw";
      ((ObjectNode) root.at("/base/content/" + image)).put("sha256", digest(files(base), name));
      item(root.path("composed"), name).put("sha256", digest(files(full), name));
    }
    JSON.writeValue(record.toFile(), root);
  }

  private static JsonNode files(Path export) throws IOException {
    return JSON.readTree(export.resolve("export.json").toFile()).path("files");
  }

  private static String digest(JsonNode items, String name) {
    return item(items, name).path("sha256").asText();
  }

  private static ObjectNode item(JsonNode items, String name) {
    for (JsonNode item : items) {
      if (item.path("path").asText().equals(name)) {
        return (ObjectNode) item;
      }
    }
    throw new AssertionError(name);
  }
}
