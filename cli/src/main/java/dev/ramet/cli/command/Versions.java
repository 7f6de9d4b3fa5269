// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.errors.RametException;
import java.util.List;

/** Counts the versions of snapshots and templates, which one name can stand for. */
public final class Versions {
  private Versions() {}

  /**
   * Returns how many objects references stand for: a name for all of its versions, everything else
   * for one. If the host does not list them, each counts as one, and the command itself reports the
   * host's error.
   *
   * @param list the route of the list
   */
  public static int count(Client client, String list, List<String> references) {
    JsonNode all;
    try {
      all = Json.tree(client.getAllPages(list));
    } catch (RametException e) {
      return references.size();
    }
    int count = 0;
    for (String reference : references) {
      int versions = 0;
      for (JsonNode one : all) {
        for (JsonNode name : one.path("names")) {
          versions += name.asText().equals(reference) ? 1 : 0;
        }
      }
      count += Math.max(1, versions);
    }
    return count;
  }
}
