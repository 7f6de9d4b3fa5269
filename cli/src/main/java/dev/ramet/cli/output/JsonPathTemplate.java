// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.output;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A template as kubectl has it: text with JSONPaths in braces, {@code {range PATH}…{end}} and
 * quoted text such as {@code {"\n"}}. A template without braces is one path. Immutable and
 * thread-safe.
 *
 * <p>The Java libraries for JSONPath know single paths only and take longer to load than a command
 * may run.
 */
public final class JsonPathTemplate {
  /** Appends one part of the output. */
  private interface Part {
    void append(JsonNode node, StringBuilder out);
  }

  private final List<Part> parts;

  private JsonPathTemplate(List<Part> parts) {
    this.parts = parts;
  }

  /**
   * Parses a template.
   *
   * @throws IllegalArgumentException with a text for people when it is malformed
   */
  public static JsonPathTemplate parse(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("the JSONPath is missing; give one like {[*].state}");
    }
    String template = text.indexOf('{') < 0 ? "{" + text + "}" : text;
    int[] at = {0};
    return new JsonPathTemplate(parts(template, at, false));
  }

  private static List<Part> parts(String text, int[] at, boolean inRange) {
    List<Part> parts = new ArrayList<>();
    while (at[0] < text.length()) {
      int open = text.indexOf('{', at[0]);
      String literal = text.substring(at[0], open < 0 ? text.length() : open);
      parts.add((node, out) -> out.append(literal));
      if (open < 0) {
        at[0] = text.length();
        break;
      }
      int close = end(text, open + 1);
      String inside = text.substring(open + 1, close).strip();
      at[0] = close + 1;
      if (inside.equals("end")) {
        if (!inRange) {
          throw new IllegalArgumentException("not a JSONPath template: {end} without {range …}");
        }
        return parts;
      }
      parts.add(part(text, inside, at));
    }
    if (inRange) {
      throw new IllegalArgumentException("not a JSONPath template: {range …} without {end}");
    }
    return parts;
  }

  private static Part part(String text, String inside, int[] at) {
    if (inside.startsWith("range ")) {
      JsonPath path = JsonPath.parse(inside.substring("range ".length()));
      JsonPathTemplate body = new JsonPathTemplate(parts(text, at, true));
      return (node, out) -> path.select(node).forEach(one -> body.append(one, out));
    }
    if (inside.length() > 1 && (inside.startsWith("\"") || inside.startsWith("'"))) {
      String literal = inside.substring(1, inside.length() - 1).translateEscapes();
      return (node, out) -> out.append(literal);
    }
    JsonPath path = JsonPath.parse(inside);
    return (node, out) ->
        out.append(
            path.select(node).stream().map(JsonPathTemplate::plain).collect(joiningBySpace()));
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joiningBySpace() {
    return Collectors.joining(" ");
  }

  /** Returns the index of the brace that closes an expression; braces in quotes do not count. */
  private static int end(String text, int from) {
    char quote = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '}') {
        return i;
      }
    }
    throw new IllegalArgumentException("not a JSONPath template: { without }");
  }

  private static String plain(JsonNode node) {
    return node.isTextual() ? node.textValue() : node.toString();
  }

  private void append(JsonNode node, StringBuilder out) {
    parts.forEach(part -> part.append(node, out));
  }

  /** Returns the text for a value. */
  public String render(JsonNode root) {
    StringBuilder out = new StringBuilder();
    append(root, out);
    return out.toString();
  }
}
