// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.output;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Parses one {@link JsonPath}. Used by one thread, once. */
final class JsonPathParser {
  private static final List<String> OPERATORS = List.of("==", "!=", "<=", ">=", "<", ">");

  private final String text;
  private int at;

  JsonPathParser(String text) {
    this.text = text.strip();
  }

  JsonPath parse() {
    List<JsonPath.Step> steps = new ArrayList<>();
    if (peek('$') || peek('@')) {
      at++;
    } else if (!text.isEmpty() && isName(text.charAt(0))) {
      steps.add(JsonPath.member(name()));
    }
    while (at < text.length()) {
      steps.add(step());
    }
    return new JsonPath(steps);
  }

  private JsonPath.Step step() {
    if (take("..")) {
      return peek('*') ? fail("a name after ..") : JsonPath.descendants(name());
    }
    if (take(".")) {
      if (at == text.length()) {
        return (from, found) -> found.add(from); // a lone dot is the value itself
      }
      if (take("*")) {
        return JsonPath.all();
      }
      return peek('[') ? step() : JsonPath.member(name());
    }
    if (!take("[")) {
      return fail(". or [");
    }
    JsonPath.Step step = bracket();
    skipBlanks();
    return take("]") ? step : fail("]");
  }

  private JsonPath.Step bracket() {
    skipBlanks();
    if (take("*")) {
      return JsonPath.all();
    }
    if (peek('\'') || peek('"')) {
      return JsonPath.member(quoted());
    }
    if (take("?(")) {
      return filter();
    }
    boolean open = peek(':');
    int start = open ? 0 : number();
    if (take(":")) {
      return JsonPath.slice(start, peek(']') ? Integer.MAX_VALUE : number());
    }
    return open ? fail("a number") : JsonPath.element(start);
  }

  private JsonPath.Step filter() {
    int begin = at;
    while (at < text.length() && !peek(')') && operator() == null) {
      at++;
    }
    JsonPath path = parse(text.substring(begin, at));
    String operator = operator();
    if (operator == null) {
      if (!take(")")) {
        return fail(")");
      }
      return (from, found) ->
          from.forEach(
              child -> {
                if (!path.select(child).isEmpty()) {
                  found.add(child);
                }
              });
    }
    at += operator.length();
    skipBlanks();
    String wanted = peek('\'') || peek('"') ? quoted() : word(c -> c != ')').strip();
    skipBlanks();
    if (!take(")")) {
      return fail(")");
    }
    return (from, found) ->
        from.forEach(
            child -> {
              if (path.select(child).stream().anyMatch(n -> holds(n, operator, wanted))) {
                found.add(child);
              }
            });
  }

  private static JsonPath parse(String path) {
    return new JsonPathParser(path).parse();
  }

  private @Nullable String operator() {
    for (String operator : OPERATORS) {
      if (text.startsWith(operator, at)) {
        return operator;
      }
    }
    return null;
  }

  private static boolean holds(JsonNode node, String operator, String wanted) {
    int order;
    try {
      order =
          node.isNumber()
              ? node.decimalValue().compareTo(new java.math.BigDecimal(wanted))
              : node.asText().compareTo(wanted);
    } catch (NumberFormatException e) {
      return operator.equals("!=");
    }
    return switch (operator) {
      case "==" -> order == 0;
      case "!=" -> order != 0;
      case "<" -> order < 0;
      case ">" -> order > 0;
      case "<=" -> order <= 0;
      default -> order >= 0;
    };
  }

  private String name() {
    String name = word(JsonPathParser::isName);
    return name.isEmpty() ? fail("a name") : name;
  }

  private int number() {
    String digits = word(c -> c == '-' || (c >= '0' && c <= '9'));
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      return fail("a number, a name in quotes, * or ?(");
    }
  }

  private String quoted() {
    char quote = text.charAt(at++);
    String value = word(c -> c != quote);
    return take("" + quote) ? value : fail("" + quote);
  }

  private String word(IntPredicate part) {
    int begin = at;
    while (at < text.length() && part.test(text.charAt(at))) {
      at++;
    }
    return text.substring(begin, at);
  }

  private static boolean isName(int c) {
    return c == '_' || c == '-' || Character.isLetterOrDigit(c);
  }

  private void skipBlanks() {
    word(c -> c == ' ');
  }

  private boolean peek(char c) {
    return at < text.length() && text.charAt(at) == c;
  }

  private boolean take(String expected) {
    boolean there = text.startsWith(expected, at);
    at += there ? expected.length() : 0;
    return there;
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // never returns
  private <T> T fail(String expected) {
    throw new IllegalArgumentException(
        "not a JSONPath: expected " + expected + " at character " + (at + 1) + " of " + text);
  }
}
