// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Wrong and unusual values for fields of requests. */
final class OddValues {
  /** Required fields of bodies. */
  static final Map<String, Set<String>> REQUIRED =
      Map.of(
          "CreateSandbox", Set.of("templateID"),
          "CreateVolume", Set.of("name"),
          "RollbackRequest", Set.of("snapshotID"),
          "SandboxTimeout", Set.of("timeout"),
          "BuildTemplateRequest", Set.of("recipe"),
          "ImportTemplateRequest", Set.of("name", "kernel", "rootfs"),
          "AssignTags", Set.of("target", "tags"),
          "RemoveTags", Set.of("name", "tags"),
          "StorageExchange.Export", Set.of("snapshot", "directory"),
          "StorageExchange.Import", Set.of("directory"));

  static final List<String> BAD_SEGMENTS =
      List.of(
          "none",
          "..",
          "%2e%2e",
          "%2e%2e%2fetc%2fpasswd",
          "%00",
          "a%00b",
          "a%20b",
          "%",
          "%zz",
          "%c3%28",
          "%ff%fe",
          "%F0%9F%98%80",
          "a:b:c",
          "a;b=c",
          "-",
          "*",
          "%0d%0aX:%20y",
          "x".repeat(3000),
          "%25252e",
          "null",
          "0",
          "-1",
          "'%20OR%201=1",
          "{id}",
          "%7Bid%7D");
  static final List<String> BAD_INTEGERS =
      List.of(
          "x", "1.5", "-", "1e3", "99999999999999999999", "0x10", "%00", "1%201", "NaN", "true");
  static final List<String> ODD_TEXTS =
      List.of(
          "",
          "%",
          "%zz",
          "%c3%28",
          "%00",
          "%F0%9F%98%80",
          "x".repeat(3000),
          "..%2F..",
          "a&a=b",
          "[]",
          "%0a");

  /** Bodies that are not one JSON object. */
  static final List<String> BODIES =
      List.of(
          "{",
          "}",
          "[]",
          "[{}]",
          "null",
          "7",
          "\"x\"",
          "true",
          "{}{}",
          "{} x",
          "nul",
          "{'a':1}",
          "{a:1}",
          "{\"a\":1,}",
          "{\"a\"}",
          "{\"a\":}",
          "{\"a\":01}",
          "{\"a\":NaN}",
          "{\"a\":\"\u0001\"}",
          "<a/>",
          "a=b",
          "{\"a\":\"\\ud800",
          "{\"a\":\"\\q\"}",
          "\u0000",
          "\ufeff[",
          "// x\n{}",
          "{\"a\":1e}",
          "{\"a\":1,\"a\":1}",
          "{\"a\":" + "[".repeat(5000),
          "{\"a\":" + "[".repeat(5000) + "]".repeat(5000) + "}",
          "{\"a\":".repeat(3000) + "1" + "}".repeat(3000),
          "{\"a\":1" + "0".repeat(5000) + "}");

  private OddValues() {}

  /** Returns JSON values of every type except this one. */
  static List<String> wrongTypes(String type) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "\"x\"",
                "7",
                "1.5",
                "true",
                "[]",
                "[1]",
                "{}",
                "{\"a\":1}",
                "{\"a\":null}",
                "{\"a\":{}}",
                "{\"a\":[]}"));
    switch (type) {
      case "string" -> all.remove("\"x\"");
      case "integer" -> all.remove("7");
      case "boolean" -> all.remove("true");
      case "array" -> all.remove("[]");
      default -> all.removeIf(value -> value.startsWith("{"));
    }
    return all;
  }

  /** Returns unusual JSON values of this type. */
  static List<String> odd(String type) {
    return switch (type) {
      case "string" ->
          List.of(
              "\"\\u0000\"",
              "\"..\"",
              "\"../../etc/passwd\"",
              "\"/\"",
              "\"\\ud83d\\ude00\"",
              "\"\\ud800\"",
              "\"a b\"",
              "\"" + "x".repeat(100_000) + "\"",
              "\"\\n\"",
              "\"\u202e\"",
              "\" \"",
              "\"é\"",
              "\"-1\"",
              "\"a\\u0000b\"");
      case "integer" -> List.of("-1", "0", "2147483647", "\"7\"");
      case "boolean" -> List.of("null");
      case "array" ->
          List.of(
              "[null]",
              "[\"\"]",
              "[\"\\u0000\"]",
              "[[]]",
              "[{}]",
              "[\"x\",7]",
              "[\"\\ud83d\\ude00\"]",
              "[\"" + "x".repeat(100_000) + "\"]",
              "[" + "\"1.2.3.4\",".repeat(10_000) + "\"1.2.3.4\"]");
      default ->
          List.of(
              "{\"\":\"\"}",
              "{\"a\":\"\\u0000\"}",
              "{\"a=b\":\"c\"}",
              "{\"" + "k".repeat(50_000) + "\":\"v\"}",
              "{\"\\ud83d\\ude00\":\"\\ud800\"}",
              "{\"a\":1}",
              "{\"a\":null}",
              "{\"enabled\":\"x\"}",
              "{\"onTimeout\":\"x\"}",
              "{\"a\":{\"b\":[]}}");
    };
  }
}
