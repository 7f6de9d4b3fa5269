// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.output;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A JSONPath: {@code $}, {@code .name}, {@code ['name']}, {@code [0]}, {@code [-1]}, {@code [1:3]},
 * {@code [*]}, {@code .*}, {@code ..name} and {@code [?(@.name == 'value')]} (RFC 9535, section 2,
 * as far as kubectl supports it). Immutable and thread-safe.
 */
final class JsonPath {
  /** Selects nodes below one node. */
  interface Step {
    void select(JsonNode from, List<JsonNode> found);
  }

  private final List<Step> steps;

  JsonPath(List<Step> steps) {
    this.steps = List.copyOf(steps);
  }

  /**
   * Parses a path.
   *
   * @throws IllegalArgumentException with a text for people when it is malformed
   */
  static JsonPath parse(String text) {
    return new JsonPathParser(text).parse();
  }

  /** Returns the selected nodes in their order; a path to nothing selects none. */
  List<JsonNode> select(JsonNode root) {
    List<JsonNode> current = List.of(root);
    for (Step step : steps) {
      List<JsonNode> next = new ArrayList<>();
      for (JsonNode node : current) {
        step.select(node, next);
      }
      current = next;
    }
    return current;
  }

  /** Selects a member of an object. */
  static Step member(String name) {
    return (from, found) -> {
      JsonNode value = from.get(name);
      if (value != null) {
        found.add(value);
      }
    };
  }

  /** Selects every element or member. */
  static Step all() {
    return (from, found) -> from.forEach(found::add);
  }

  /** Selects the members of that name at any depth. */
  static Step descendants(String name) {
    return new Step() {
      @Override
      public void select(JsonNode from, List<JsonNode> found) {
        JsonNode value = from.get(name);
        if (value != null) {
          found.add(value);
        }
        from.forEach(child -> select(child, found));
      }
    };
  }

  /** Selects one element; a negative index counts from the end. */
  static Step element(int index) {
    return (from, found) -> {
      JsonNode value = from.get(index < 0 ? from.size() + index : index);
      if (value != null && from.isArray()) {
        found.add(value);
      }
    };
  }

  /** Selects the elements from {@code start} to before {@code end}. */
  static Step slice(int start, int end) {
    return (from, found) -> {
      int first = Math.max(0, start < 0 ? from.size() + start : start);
      int last = Math.min(from.size(), end < 0 ? from.size() + end : end);
      for (int i = first; i < last && from.isArray(); i++) {
        found.add(from.get(i));
      }
    };
  }
}
