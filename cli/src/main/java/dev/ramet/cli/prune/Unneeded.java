// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.prune;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds what nobody needs on a host: failed sandboxes; snapshots without a name that nothing uses;
 * versions of templates that lost their tags. Reads JSON rather than records, because a field that
 * an older host does not send must count as unknown, not as empty. Immutable and thread-safe.
 */
final class Unneeded {
  private final Set<String> usedIds = new HashSet<>();
  private final List<JsonNode> sandboxes = new ArrayList<>();

  private Unneeded() {}

  /**
   * Asks the host for candidates.
   *
   * @param withOwn whether snapshots whose sandbox still exists are unneeded too
   */
  static List<Candidate> on(Client client, boolean withOwn) {
    // Snapshots and templates first: what begins to use one of them is then among the sandboxes.
    JsonNode snapshots = Json.tree(client.getAllPages("/snapshots"));
    JsonNode templates = Json.tree(client.getAllPages("/templates"));
    Unneeded state = new Unneeded();
    Json.tree(client.getAllPages("/v2/sandboxes")).forEach(state::add);
    List<Candidate> found = new ArrayList<>();
    for (JsonNode one : state.sandboxes) {
      if (one.path("state").asText().equals("failed")) {
        String detail = one.path("stateDetail").asText("");
        found.add(
            new Candidate(
                "sandbox",
                one.path("sandboxID").asText(),
                detail.isEmpty() ? "failed" : "failed: " + detail,
                one.path("startedAt").asText(),
                -1));
      }
    }
    snapshots.forEach(one -> state.addSnapshot(one, withOwn, found));
    templates.forEach(one -> state.addTemplate(one, found));
    return found;
  }

  private void add(JsonNode sandbox) {
    sandboxes.add(sandbox);
    usedIds.add(sandbox.path("templateID").asText());
  }

  private void addSnapshot(JsonNode one, boolean withOwn, List<Candidate> found) {
    String id = one.path("snapshotID").asText();
    boolean nameless = isEmptyArray(one, "names") && isEmptyArray(one, "tags");
    boolean whole = one.path("status").asText().equals("READY");
    boolean failed = one.path("status").asText().equals("FAILED");
    if (!nameless || !(whole || failed) || !isEmptyArray(one, "usedBy") || usedIds.contains(id)) {
      return;
    }
    String origin = one.path("originSandboxID").asText("");
    boolean own = sandboxes.stream().anyMatch(s -> s.path("sandboxID").asText().equals(origin));
    if (failed || withOwn || !own) {
      String reason =
          failed ? "failed" : own ? "no name, not used" : "no name, not used, its sandbox is gone";
      found.add(
          new Candidate(
              "snapshot",
              id,
              reason,
              one.path("createdAt").asText(),
              one.path("exclusiveBytes").asLong()));
    }
  }

  private void addTemplate(JsonNode one, List<Candidate> found) {
    String id = one.path("templateID").asText();
    if (one.path("status").asText().equals("READY")
        && isEmptyArray(one, "tags")
        && !usedIds.contains(id)) {
      found.add(
          new Candidate(
              "template",
              id,
              "a version of " + one.path("names").path(0).asText("a template") + " without a tag",
              one.path("createdAt").asText(),
              one.path("exclusiveBytes").asLong()));
    }
  }

  private static boolean isEmptyArray(JsonNode object, String field) {
    return object.path(field).isArray() && object.path(field).isEmpty();
  }
}
